import { graphql } from '../api/graphql.ts';
import { lookup, page } from './query.ts';

/** Where a team can have a new application. */
export const NewApplicationQuery = lookup('team', 'NewApplication', {
  select: 'id regions(first: 100, status: ENABLED) { nodes { id name alias } }',
});

/** The fields of an application that can be changed. */
export const EditApplicationQuery = lookup('application', 'EditApplication', {
  select: `
    id name note principal isDefault orderIndex logo governanceMode revision
  `,
});

/** Components that others can depend on. */
export const ComponentChoiceQuery = lookup('application', 'ComponentChoice', {
  variables: '$after: String',
  select: `
    id
    components(first: 100, after: $after) { ${page('id uid name')} }
  `,
});

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

/** The fields of a component that can be changed. */
export const EditComponentQuery = lookup('component', 'EditComponent', {
  select: `
    id uid name description image version entrypoint command replicas cpuMillicores memoryMiB cpuLimitMillicores memoryLimitMiB gpuMemoryMiB kind category
    extendMethod checksPorts isInner isUpgradedAfterBuild opensWebhooks preStopSeconds terminationGracePeriodSeconds
    deployDeadlineSeconds needsRoot preDeployCommand preDeployTimeoutSeconds
    revision desiredState
    team { id uid name }
    source { kind codeFrom codeVersion containerCommand gitProjectId gitUrl language oauthServiceId serverType }
  `,
});
