import { graphql } from '../api/graphql.ts';
import { page } from './query.ts';

export const RegionQuery = graphql(`
  query Region($region: RegionRef!, $after: String) {
    viewer { isAdministrator }
    region(by: $region) {
      id uid name alias description status health scope driver url httpDomain tcpDomain createdAt
      usage { totalCpuCores usedCpuCores totalMemoryMiB usedMemoryMiB totalDiskGiB usedDiskGiB }
      applications(first: 30, after: $after) {
        ${page('id uid name state componentCount team { id name alias }')}
      }
    }
  }
`);
