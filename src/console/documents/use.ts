import { graphql } from '../api/graphql.ts';
import { lookup } from './query.ts';

/** The regions of a team, with what is used of each. */
export const TeamRegionsQuery = lookup('team', 'TeamRegions', {
  select: `
    id
    uid
    name
    alias
    maySetQuota: viewerCan(action: SET_TEAM_QUOTA)
    mayClose: viewerCan(action: CLOSE_TEAM_REGION)
    regions(first: 100) { nodes { id uid name alias status } }
  `,
});

/** The usage of quotas by teams. */
export const TeamUseQuery = graphql(`
  query TeamUse($of: [TeamRegionRef!]!) {
    teamResources(of: $of) {
      revision
      usedCpuMillicores
      totalCpuMillicores
      usedMemoryMiB
      totalMemoryMiB
      region { id uid name alias status }
      team { id uid name alias }
    }
  }
`);

/** The usage of each team's quota in a region. */
export const RegionUseQuery = lookup('region', 'RegionUse', {
  select: `
    id
    uid
    name
    alias
    teams(first: 100) {
      totalCount
      edges {
        node { id uid name alias maySetQuota: viewerCan(action: SET_TEAM_QUOTA) }
        resources { revision usedCpuMillicores totalCpuMillicores usedMemoryMiB totalMemoryMiB }
      }
    }
  `,
});
