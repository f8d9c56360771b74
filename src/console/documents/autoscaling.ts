import { graphql } from '../api/graphql.ts';

export const AutoscalingOf = graphql(`
  fragment AutoscalingOf on Component @_unmask {
    autoscaling { minReplicas maxReplicas cpuPercent memoryPercent }
  }
`);
