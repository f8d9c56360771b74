import { graphql } from '../api/graphql.ts';
import { JobRow } from './jobs.ts';
import { page } from './query.ts';
import { RuleLists } from './rules.ts';
import { ComponentRow } from './tree.ts';

/** The header of every page of an application. */
export const ApplicationHead = graphql(`
  fragment ApplicationHead on Application @_unmask {
    id uid name state note principal templateName version storeName createdAt updatedAt
    region { id name alias driver servesAddresses }
    team { id name alias }
  }
`);

export const ApplicationQuery = graphql(
  `
  query Application($application: ApplicationRef!, $search: String, $state: DesiredState, $order: ComponentOrder) {
    application(by: $application) {
      ...ApplicationHead
      components(first: 20, search: $search, desiredState: $state, orderBy: $order) {
        ${page('...ComponentRow')}
      }
    }
  }
`,
  [ApplicationHead, ComponentRow],
);

/** The next page of its components. */
export const ApplicationComponentsQuery = graphql(
  `
  query ApplicationComponents(
    $application: ApplicationRef!
    $after: String!
    $search: String
    $state: DesiredState
    $order: ComponentOrder
  ) {
    application(by: $application) {
      id
      components(first: 100, after: $after, search: $search, desiredState: $state, orderBy: $order) {
        ${page('...ComponentRow')}
      }
    }
  }
`,
  [ComponentRow],
);

export const ApplicationRulesQuery = graphql(
  `
  query ApplicationRules($application: ApplicationRef!) {
    application(by: $application) {
      ...ApplicationHead
      gatewayRules { ...RuleLists }
    }
  }
`,
  [ApplicationHead, RuleLists],
);

export const ApplicationUpgradesQuery = graphql(
  `
  query ApplicationUpgrades($application: ApplicationRef!) {
    application(by: $application) {
      ...ApplicationHead
      upgrades { templateId templateName storeName currentVersion canUpgrade upgradeVersions }
      upgradeRecords(first: 20) {
        totalCount
        nodes { id kind fromVersion toVersion at rollback { id } user { id nickName email } group { id name } }
      }
    }
  }
`,
  [ApplicationHead],
);

export const ApplicationJobsQuery = graphql(
  `
  query ApplicationJobs($application: ApplicationRef!, $after: String) {
    application(by: $application) {
      ...ApplicationHead
      mayCancel: viewerCan(action: UPDATE_APPLICATION)
      jobs(first: 30, after: $after) { ${page('...JobRow')} }
    }
  }
`,
  [ApplicationHead, JobRow],
);
