import { graphql } from '../api/graphql.ts';
import { planned } from './mutation.ts';

export const AutoscalingOf = graphql(`
  fragment AutoscalingOf on Component @_unmask {
    autoscaling { minReplicas maxReplicas cpuPercent memoryPercent }
  }
`);

export const SetAutoscaling = planned(
  'setAutoscaling',
  'component { id replicas revision ...AutoscalingOf } job { id uid }',
  [AutoscalingOf],
);

export const RemoveAutoscaling = planned(
  'removeAutoscaling',
  'component { id replicas revision ...AutoscalingOf } job { id uid }',
  [AutoscalingOf],
);
