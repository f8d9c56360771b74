import { builder } from '../../../graphql/schema/builder.ts';
import { property } from '../../../graphql/schema/exposed.ts';
import { mutation } from '../../../graphql/schema/mutation.ts';
import { objectType } from '../../../graphql/schema/object-type.ts';
import { QuotaExceededError } from '../../../kernel/errors.ts';
import { jobResult } from '../../job/graphql.ts';
import { Component } from '../graphql.ts';
import {
  type Autoscaling,
  autoscalingColumns,
  autoscalingOf,
  removeAutoscaling,
  setAutoscaling,
} from './model.ts';
import * as operations from './operations.ts';

const AutoscalingType = objectType<Autoscaling>('Autoscaling', {
  description:
    'The autoscaling of a component: the bounds within which its number of instances follows the load.',
  exposes: {
    'minReplicas: Int!': 'The minimum number of instances.',
    'maxReplicas: Int!': 'The maximum number of instances. It counts toward quotas.',
    'cpuPercent: Int':
      'The target for the average CPU usage, as a percentage of the CPU request. Null if CPU usage is not a target.',
    'memoryPercent: Int':
      'The target for the average memory usage, as a percentage of the memory request. Null if memory usage is not a target.',
  },
});

builder.objectField(Component, 'autoscaling', (t) =>
  t.using(...autoscalingColumns).field({
    type: AutoscalingType,
    nullable: true,
    description: 'The autoscaling. Null if the number of instances is fixed.',
    resolve: (component) => autoscalingOf(component),
  }),
);

const withAutoscaling = '...ComponentSummary autoscaling { ...Autoscaling }';

mutation('setAutoscaling', setAutoscaling, operations.setAutoscaling, {
  description: `Sets the autoscaling of a component. Its number of instances then follows the load, within bounds. Takes effect immediately if the component is running. \`maxReplicas\` counts toward the quota. Fails with CONFLICT for components whose instances cannot share their volumes, and for those of the extend method STATE. Idempotent.`,
  operation: {
    advice:
      'Requires `cpuPercent`, `memoryPercent` or both. While a component has autoscaling, scale_component and update_component cannot set `replicas`. get_component has the current autoscaling.',
    selection: { component: withAutoscaling },
  },
  errors: [QuotaExceededError],
  payload: {
    component: property(Component, 'The changed component.'),
    job: jobResult,
  },
});

mutation('removeAutoscaling', removeAutoscaling, operations.removeAutoscaling, {
  description: `Removes the autoscaling of a component. The component keeps its current number of instances. Takes effect immediately if the component is running. Idempotent.`,
  operation: {
    advice: 'Afterwards, scale_component sets the number of instances.',
    selection: { component: withAutoscaling },
  },
  payload: {
    component: property(Component, 'The changed component.'),
    job: jobResult,
  },
});
