import { graphql } from '../api/graphql.ts';

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
