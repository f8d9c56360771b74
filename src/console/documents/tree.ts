import { graphql } from '../api/graphql.ts';
import { lookup, page } from './query.ts';

export const PortRow = graphql(`
  fragment PortRow on Port @_unmask {
    id number alias protocol isInner isOuter serviceName
  }
`);

export const ComponentRow = graphql(
  `
  fragment ComponentRow on Component @_unmask {
    id uid name alias image replicas state desiredState hasUndeployedChanges isUpgradable
    ports(first: 50) { ${page('...PortRow')} }
  }
`,
  [PortRow],
);

export const ApplicationRow = graphql(
  `
  fragment ApplicationRow on Application @_unmask {
    id uid name state templateName version
    region { id name alias }
    components(first: 20) { ${page('...ComponentRow')} }
  }
`,
  [ComponentRow],
);

export const TeamRow = graphql(
  `
  fragment TeamRow on Team @_unmask {
    id uid name alias
    applications(first: 10, search: $search, state: $state, hasProblems: $hasProblems, orderBy: $order) {
      ${page('...ApplicationRow')}
    }
    running: jobs(first: 0, status: RUNNING) { totalCount }
    pending: jobs(first: 0, status: PENDING) { totalCount }
  }
`,
  [ApplicationRow],
);

/** Teams with their applications, components and ports, in one request. */
export const TreeQuery = graphql(
  `
  query Tree(
    $after: String
    $search: String
    $state: ApplicationState
    $hasProblems: Boolean
    $order: ApplicationOrder
  ) {
    teams(first: 10, after: $after) { ${page('...TeamRow')} }
  }
`,
  [TeamRow],
);

export const TeamTreeQuery = lookup('team', 'TeamTree', {
  variables: '$search: String, $state: ApplicationState, $hasProblems: Boolean, $order: ApplicationOrder',
  select: `
    ...TeamRow
    regionCount
    componentCount
    mayApply: viewerCan(action: APPLY_MANIFEST)
    mayCreate: viewerCan(action: CREATE_APPLICATION)
  `,
  fragments: [TeamRow],
});

// The next page of one list of the tree.

export const MoreApplicationsQuery = lookup('team', 'MoreApplications', {
  variables:
    '$after: String!, $search: String, $state: ApplicationState, $hasProblems: Boolean, $order: ApplicationOrder',
  select: `
    id
    applications(
      first: 20
      after: $after
      search: $search
      state: $state
      hasProblems: $hasProblems
      orderBy: $order
    ) { ${page('...ApplicationRow')} }
  `,
  fragments: [ApplicationRow],
});

export const MoreComponentsQuery = lookup('application', 'MoreComponents', {
  variables: '$after: String!',
  select: `
    id
    components(first: 100, after: $after) { ${page('...ComponentRow')} }
  `,
  fragments: [ComponentRow],
});

export const MorePortsQuery = lookup('component', 'MorePorts', {
  variables: '$after: String!',
  select: `
    id
    ports(first: 100, after: $after) { ${page('...PortRow')} }
  `,
  fragments: [PortRow],
});
