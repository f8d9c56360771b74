import { graphql } from '../api/graphql.ts';
import { FailureParts, PlanParts } from './act-parts.ts';
import { mutation } from './mutation.ts';

/** The regions of a team, with what is used of each. */
export const TeamRegionsQuery = graphql(`
  query TeamRegions($by: TeamRef!) {
    team(by: $by) {
      id
      uid
      name
      alias
      maySetQuota: viewerCan(action: SET_TEAM_QUOTA)
      mayClose: viewerCan(action: CLOSE_TEAM_REGION)
      regions(first: 100) { nodes { id uid name alias status } }
    }
  }
`);

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
export const RegionUseQuery = graphql(`
  query RegionUse($by: RegionRef!) {
    region(by: $by) {
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
    }
  }
`);

export const SetTeamQuota = graphql(mutation('setTeamQuota'), [FailureParts]);

export const CloseTeamRegion = graphql(mutation('closeTeamRegion', 'plan { ...PlanParts }'), [
  PlanParts,
  FailureParts,
]);
