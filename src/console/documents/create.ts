import { graphql } from '../api/graphql.ts';
import { FailureParts, PlanParts } from './act-parts.ts';
import { mutation } from './mutation.ts';

/** Where a team can have a new application. */
export const NewApplicationQuery = graphql(`
  query NewApplication($team: TeamRef!) {
    team(by: $team) { id regions(first: 100, status: ENABLED) { nodes { id name alias } } }
  }
`);

export const CreateApplication = graphql(mutation('createApplication', 'application { id uid }'), [
  FailureParts,
]);

/** The fields of an application that can be changed. */
export const EditApplicationQuery = graphql(`
  query EditApplication($by: ApplicationRef!) {
    application(by: $by) {
      id name note principal isDefault orderIndex logo governanceMode revision
    }
  }
`);

export const UpdateApplication = graphql(
  mutation('updateApplication', 'application { id name note principal revision }'),
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

export const CreateComponent = graphql(mutation('createComponent', 'component { id uid } job { id uid }'), [
  FailureParts,
]);

/** The fields of a component that can be changed. */
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
  mutation(
    'updateComponent',
    `
    plan { ...PlanParts }
    job { id uid }
    component { id name image version revision }
  `,
  ),
  [PlanParts, FailureParts],
);

export const AddVolume = graphql(mutation('addVolume'), [FailureParts]);

export const UpdateVolume = graphql(mutation('updateVolume'), [FailureParts]);

export const DeleteVolume = graphql(mutation('deleteVolume', 'plan { ...PlanParts }'), [
  PlanParts,
  FailureParts,
]);

export const AddDependency = graphql(mutation('addDependency'), [FailureParts]);

export const DeleteDependency = graphql(mutation('deleteDependency', 'plan { ...PlanParts }'), [
  PlanParts,
  FailureParts,
]);
