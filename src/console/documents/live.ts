import { graphql } from '../api/graphql.ts';

/** The teams, applications and jobs that all tabs show, each when it has changed. */
export const Changes = graphql(`
  subscription Changes($ids: [ID!]!) {
    nodesChanged(ids: $ids) { nodeId }
  }
`);

/** The state of the cluster of a region, which no connection reports. */
export const LookQuery = graphql(`
  query Look($id: ID!) {
    node(id: $id) {
      id
      ... on Region {
        revision
        health
        usage { totalCpuCores usedCpuCores totalMemoryMiB usedMemoryMiB totalDiskGiB usedDiskGiB }
      }
    }
  }
`);
