import { graphql } from '../api/graphql.ts';
import { JobRow } from './jobs.ts';
import { lookup, page } from './query.ts';
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

export const ApplicationQuery = lookup('application', 'Application', {
  variables: '$search: String, $state: DesiredState, $order: ComponentOrder',
  select: `
    ...ApplicationHead
    components(first: 20, search: $search, desiredState: $state, orderBy: $order) {
      ${page('...ComponentRow')}
    }
  `,
  fragments: [ApplicationHead, ComponentRow],
});

/** The next page of its components. */
export const ApplicationComponentsQuery = lookup('application', 'ApplicationComponents', {
  variables: '$after: String!, $search: String, $state: DesiredState, $order: ComponentOrder',
  select: `
    id
    components(first: 100, after: $after, search: $search, desiredState: $state, orderBy: $order) {
      ${page('...ComponentRow')}
    }
  `,
  fragments: [ComponentRow],
});

export const ApplicationRulesQuery = lookup('application', 'ApplicationRules', {
  select: `
    ...ApplicationHead
    gatewayRules { ...RuleLists }
  `,
  fragments: [ApplicationHead, RuleLists],
});

export const ApplicationUpgradesQuery = lookup('application', 'ApplicationUpgrades', {
  select: `
    ...ApplicationHead
    upgrades { templateId templateName storeName currentVersion canUpgrade upgradeVersions }
    upgradeRecords(first: 20) {
      totalCount
      nodes { id kind fromVersion toVersion at rollback { id } user { id nickName email } group { id name } }
    }
  `,
  fragments: [ApplicationHead],
});

export const ApplicationJobsQuery = lookup('application', 'ApplicationJobs', {
  variables: '$after: String',
  select: `
    ...ApplicationHead
    mayCancel: viewerCan(action: UPDATE_APPLICATION)
    jobs(first: 30, after: $after) { ${page('...JobRow')} }
  `,
  fragments: [ApplicationHead, JobRow],
});
