import { graphql } from '../api/graphql.ts';
import { FailureParts, PlanParts } from './act-parts.ts';

const CredentialParts = graphql(`
  fragment CredentialParts on RegistryCredential @_unmask { id host username createdAt revision }
`);

/** The registry credentials of a team and, for administrators, those of all teams. */
export const RegistriesQuery = graphql(
  `
  query Registries($team: TeamRef!, $isAdministrator: Boolean!) {
    viewer {
      enterprise {
        id
        registryCredentials(first: 100) @include(if: $isAdministrator) {
          totalCount
          nodes { ...CredentialParts }
        }
      }
    }
    team(by: $team) {
      id
      name
      alias
      mayChange: viewerCan(action: CREATE_REGISTRY_CREDENTIAL)
      registryCredentials(first: 100) { totalCount nodes { ...CredentialParts } }
    }
  }
`,
  [CredentialParts],
);

export const CreateRegistryCredential = graphql(
  `
  mutation CreateRegistryCredential($input: CreateRegistryCredentialInput!) {
    result: createRegistryCredential(input: $input) {
      __typename
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

export const UpdateRegistryCredential = graphql(
  `
  mutation UpdateRegistryCredential($input: UpdateRegistryCredentialInput!) {
    result: updateRegistryCredential(input: $input) {
      __typename
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

export const DeleteRegistryCredential = graphql(
  `
  mutation DeleteRegistryCredential($input: DeleteRegistryCredentialInput!) {
    result: deleteRegistryCredential(input: $input) {
      __typename
      ... on DeleteRegistryCredentialPayload { plan { ...PlanParts } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts],
);
