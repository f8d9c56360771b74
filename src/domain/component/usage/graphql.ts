import { z } from 'zod';
import {
  type ComponentUsage,
  type InstanceUsage,
  type UsageGap,
  usageGaps,
} from '../../../drivers/region/usage.ts';
import { builder } from '../../../graphql/schema/builder.ts';
import { property, propertyOrNull } from '../../../graphql/schema/exposed.ts';
import { enumOf } from '../../../graphql/schema/input.ts';
import { nullOnError } from '../../../graphql/schema/null-on-error.ts';
import { objectType } from '../../../graphql/schema/object-type.ts';
import { Component } from '../graphql.ts';
import { maxInstances } from '../instances/reads.ts';
import { usageOf } from './reads.ts';

const UsageGapEnum = enumOf(
  'UsageGap',
  z.enum(Object.keys(usageGaps) as [UsageGap]),
  'Why there are no measurements of the instances of a component.',
  usageGaps,
);

const ComponentInstanceUsage = objectType<InstanceUsage>('ComponentInstanceUsage', {
  description: 'The resource usage of an instance of a component.',
  exposes: {
    'name: String!': 'The name of the instance.',
    'cpuMillicores: Float':
      'The CPU in use, in millicores (1000 = 1 core). Null if it was not measured, for example because the instance has just started.',
    'memoryMiB: Float': 'The memory in use, in MiB. Null if it was not measured.',
    'restarts: Int!': 'The number of restarts of its containers.',
    'measuredAt: DateTime': 'The time at which CPU and memory were measured. Null if they were not measured.',
  },
});

/** The sum over the instances that were measured; null if there are instances and none was measured. */
function sumOf({ gap, instances }: ComponentUsage, resource: 'cpuMillicores' | 'memoryMiB'): number | null {
  const measured = instances.flatMap(({ [resource]: used }) => used ?? []);
  if (gap !== null || (instances.length > 0 && measured.length === 0)) return null;
  return measured.reduce((sum, used) => sum + used, 0);
}

const ComponentUsageType = objectType<ComponentUsage>('ComponentUsage', {
  description: 'The current resource usage of the instances of a component, as measured by the cluster.',
  exposes: {
    gap: propertyOrNull(UsageGapEnum, 'Why CPU and memory are not measured. Null if they are.'),
    instances: property(
      [ComponentInstanceUsage],
      `The current instances, sorted by name, at most ${maxInstances}.`,
    ),
  },
  fields: (t) => ({
    cpuMillicores: t.float({
      nullable: true,
      description:
        'The CPU in use by all measured instances, in millicores (1000 = 1 core). Null if no instance was measured.',
      resolve: (usage) => sumOf(usage, 'cpuMillicores'),
    }),
    memoryMiB: t.float({
      nullable: true,
      description: 'The memory in use by all measured instances, in MiB. Null if no instance was measured.',
      resolve: (usage) => sumOf(usage, 'memoryMiB'),
    }),
    restarts: t.int({
      description: 'The number of container restarts of the current instances.',
      resolve: ({ instances }) => instances.reduce((sum, { restarts }) => sum + restarts, 0),
    }),
  }),
});

builder.objectField(Component, 'usage', (t) =>
  t.using('id', 'name').field({
    type: ComponentUsageType,
    ...nullOnError,
    description:
      'The current CPU and memory usage of the instances, and their restarts. `usageHistory` has the usage over time. `gap` says why CPU and memory are null. Null with a REGION_UNAVAILABLE error if the cluster does not respond.',
    resolve: (component, _, context) => usageOf(context, component),
  }),
);
