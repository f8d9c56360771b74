import { graphql } from '../api/graphql.ts';
import { FailureParts, PlanParts } from './act-parts.ts';

/** Where a team can have a new application. */
export const NewApplicationQuery = graphql(`
  query NewApplication($team: TeamRef!) {
    team(by: $team) { id regions(first: 100, status: ENABLED) { nodes { id name alias } } }
  }
`);

export const CreateApplication = graphql(
  `
  mutation CreateApplication($input: CreateApplicationInput!) {
    result: createApplication(input: $input) {
      __typename
      ... on CreateApplicationPayload { application { id uid } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

/** What can be changed of an application. */
export const EditApplicationQuery = graphql(`
  query EditApplication($by: ApplicationRef!) {
    application(by: $by) {
      id name note principal isDefault orderIndex logo governanceMode revision
    }
  }
`);

export const UpdateApplication = graphql(
  `
  mutation UpdateApplication($input: UpdateApplicationInput!) {
    result: updateApplication(input: $input) {
      __typename
      ... on UpdateApplicationPayload { application { id name note principal revision } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

/** Components that others can depend on. */
export const ComponentChoiceQuery = graphql(`
  query ComponentChoice($by: ApplicationRef!, $after: String) {
    application(by: $by) {
      id
      components(first: 100, after: $after) {
        totalCount
        pageInfo { endCursor hasNextPage }
        nodes { id uid name }
      }
    }
  }
`);

export const CheckImage = graphql(`
  query CheckImage($team: TeamRef!, $image: String!) {
    check: checkImage(team: $team, image: $image) {
      exists
      image
      usesCredential
      exposedPorts { number protocol }
      platforms { os architecture variant }
    }
  }
`);

export const CreateComponent = graphql(
  `
  mutation CreateComponent($input: CreateComponentInput!) {
    result: createComponent(input: $input) {
      __typename
      ... on CreateComponentPayload { component { id uid } job { id uid } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

/** What can be changed of a component. */
export const EditComponentQuery = graphql(`
  query EditComponent($by: ComponentRef!) {
    component(by: $by) {
      id uid name description image version command replicas cpuMillicores memoryMiB gpuMemoryMiB kind category
      extendMethod checksPorts isInner isUpgradedAfterBuild opensWebhooks preStopSeconds terminationGracePeriodSeconds
      deployDeadlineSeconds needsRoot
      revision desiredState
      team { id uid name }
      source { kind codeFrom codeVersion containerCommand gitProjectId gitUrl language oauthServiceId serverType }
    }
  }
`);

export const UpdateComponent = graphql(
  `
  mutation UpdateComponent($input: UpdateComponentInput!) {
    result: updateComponent(input: $input) {
      __typename
      ... on UpdateComponentPayload {
        plan { ...PlanParts }
        job { id uid }
        component { id name image version revision }
      }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts],
);

export const AddVolume = graphql(
  `
  mutation AddVolume($input: AddVolumeInput!) {
    result: addVolume(input: $input) {
      __typename
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

export const UpdateVolume = graphql(
  `
  mutation UpdateVolume($input: UpdateVolumeInput!) {
    result: updateVolume(input: $input) {
      __typename
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

export const DeleteVolume = graphql(
  `
  mutation DeleteVolume($input: DeleteVolumeInput!) {
    result: deleteVolume(input: $input) {
      __typename
      ... on DeleteVolumePayload { plan { ...PlanParts } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts],
);

export const AddDependency = graphql(
  `
  mutation AddDependency($input: AddDependencyInput!) {
    result: addDependency(input: $input) {
      __typename
      ... on Error { ...FailureParts }
    }
  }
`,
  [FailureParts],
);

export const DeleteDependency = graphql(
  `
  mutation DeleteDependency($input: DeleteDependencyInput!) {
    result: deleteDependency(input: $input) {
      __typename
      ... on DeleteDependencyPayload { plan { ...PlanParts } }
      ... on Error { ...FailureParts }
    }
  }
`,
  [PlanParts, FailureParts],
);
