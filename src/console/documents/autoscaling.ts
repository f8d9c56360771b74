import { graphql } from '../api/graphql.ts';
import { FailureParts, PlanParts } from './act-parts.ts';
import { mutation } from './mutation.ts';

export const AutoscalingOf = graphql(`
  fragment AutoscalingOf on Component @_unmask {
    autoscaling { minReplicas maxReplicas cpuPercent memoryPercent }
  }
`);

export const SetAutoscaling = graphql(
  mutation(
    'setAutoscaling',
    `
    plan { ...PlanParts }
    component { id replicas revision ...AutoscalingOf }
    job { id uid }
  `,
  ),
  [PlanParts, AutoscalingOf, FailureParts],
);

export const RemoveAutoscaling = graphql(
  mutation(
    'removeAutoscaling',
    `
    plan { ...PlanParts }
    component { id replicas revision ...AutoscalingOf }
    job { id uid }
  `,
  ),
  [PlanParts, AutoscalingOf, FailureParts],
);
