import { graphql } from '../api/graphql.ts';
import { lookup, page } from './query.ts';

export const RegionsQuery = graphql(`
  query Regions($after: String, $search: String) {
    viewer {
      isAdministrator
      accessToken { id isReadOnly }
      enterprise {
        id
        regions(first: 50, after: $after, search: $search) {
          ${page(`
            id uid name alias description status health driver scope
            usage { totalCpuCores usedCpuCores totalMemoryMiB usedMemoryMiB totalDiskGiB usedDiskGiB }
            teams(first: 0) { totalCount }
            applications(first: 0) { totalCount }
          `)}
        }
      }
    }
  }
`);

export const RegionActionsQuery = lookup('region', 'RegionActions', {
  select: `
    id
    uid
    name
    alias
    revision
    driver
    scope
    status
    mayUpdate: viewerCan(action: UPDATE_REGION)
    mayDelete: viewerCan(action: DELETE_REGION)
    mayRemoveOrphans: viewerCan(action: REMOVE_REGION_ORPHANS)
  `,
});

/** A region as its form shows it. Only administrators can read its settings. */
export const RegionSettingsQuery = lookup('region', 'RegionSettings', {
  select: `
    id uid name alias revision description status scope driver allowsRoot url websocketUrl httpDomain tcpDomain
    cluster {
      gatewayClass ingressClass storageClass sharedStorageClass certificateIssuer namespacePrefix metricsUrl logsUrl
      hasMetricsCredentials hasLogsCredentials
      gatewayQueries { requests errors latencyP95 }
    }
    usage { totalCpuCores totalMemoryMiB totalDiskGiB usedCpuCores usedMemoryMiB usedDiskGiB }
  `,
});

/** Objects that are left in the cluster of a region. */
export const RegionOrphansQuery = lookup('region', 'RegionOrphans', {
  select: 'id orphans { kind namespace name createdAt hasData }',
});

/** The teams, with what the caller may do with their regions. */
export const RegionTeamsQuery = graphql(`
  query RegionTeams($search: String) {
    viewer {
      isAdministrator
      enterprise {
        id
        teams(first: 100, search: $search) {
          totalCount
          nodes {
            id uid name alias
            mayOpen: viewerCan(action: OPEN_TEAM_REGION)
            mayImport: viewerCan(action: IMPORT_NAMESPACE)
            maySetQuota: viewerCan(action: SET_TEAM_QUOTA)
            regions(first: 100) { nodes { id uid } }
          }
        }
      }
    }
  }
`);

/** The result of a check of a cluster. It is not cached: a kubeconfig has secrets, and clusters change. */
export const CheckRegionQuery = graphql(`
  query CheckRegion($region: RegionRef, $kubeconfig: String) {
    checkRegion(region: $region, kubeconfig: $kubeconfig) {
      url isReachable problem version hasGatewayApi hasMetrics hasCertManager
      rights { verb group resource isAllowed }
    }
  }
`);

/** The application that was made of a namespace, and what it leaves out. */
export const ImportParts = graphql(`
  fragment ImportParts on ImportNamespacePayload @_unmask {
    application { id uid name }
    omitted { kind name what }
  }
`);

/** What was left in a cluster, and was removed. */
export const RemovalParts = graphql(`
  fragment RemovalParts on RemoveRegionOrphansPayload @_unmask { orphans { kind namespace name hasData } }
`);
