import { z } from 'zod';
import {
  type ClusterEvent,
  type Instance,
  instanceLimits,
  type LogLine,
} from '../../../drivers/region/instances.ts';
import { type LogGap, logGaps, logSources } from '../../../drivers/region/stored-logs.ts';
import { builder } from '../../../graphql/schema/builder.ts';
import { property, propertyOrNull } from '../../../graphql/schema/exposed.ts';
import { enumOf } from '../../../graphql/schema/input.ts';
import { mutation } from '../../../graphql/schema/mutation.ts';
import { nullOnError } from '../../../graphql/schema/null-on-error.ts';
import { objectType } from '../../../graphql/schema/object-type.ts';
import { validatedBy } from '../../../graphql/schema/validation.ts';
import { Component } from '../graphql.ts';
import { type FoundLogs, logsOf } from './log-reads.ts';
import * as model from './model.ts';
import { deleteInstance, recordInstanceDeletion } from './operations.ts';
import { clusterEventsOf, inspectedFields, instancesOf, maxInstances } from './reads.ts';

const ComponentInstance = objectType<Instance>('ComponentInstance', {
  description: 'An instance of a component in a cluster.',
  exposes: {
    'name: String!': 'The name of the pod.',
    'containers: [String!]!': 'The names of its containers, first the one that the component describes.',
    'node: String': 'The node that it runs on. Null as long as it has none.',
    'phase: String!': 'The phase: `Pending`, `Running`, `Succeeded`, `Failed`, `Unknown` or `Terminating`.',
    'isReady: Boolean!': 'Whether it serves requests.',
    'restarts: Int!': 'How often its containers were restarted.',
    'startedAt: DateTime': 'When it was started on its node. Null if it was not.',
    'reason: String':
      'Why it does not run, or why it was started again within the last minute. Null if nothing is wrong.',
  },
});

const ComponentLogLine = objectType<LogLine>('ComponentLogLine', {
  description: 'A line that a container of an instance has written.',
  exposes: {
    'instance: String!': 'The name of the instance.',
    'container: String!': 'The name of the container.',
    'text: String!': `The line. What exceeds ${instanceLimits.lineBytes / 1024} KiB is cut off.`,
  },
  fields: (t) => ({
    at: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was written. Null if unknown.',
      resolve: ({ at }) => (at === null ? null : new Date(at)),
    }),
  }),
});

export const LogSourceEnum = enumOf(
  'LogSource',
  model.logSource,
  'Where lines of logs come from.',
  logSources,
);

const LogGapEnum = enumOf(
  'LogGap',
  z.enum(Object.keys(logGaps) as [LogGap]),
  'Why the log store of a region was not read.',
  logGaps,
);

export const ComponentLogs = objectType<FoundLogs>('ComponentLogs', {
  description: 'Lines that the instances of a component have written.',
  exposes: {
    'isTruncated: Boolean!': `Whether lines were left out because there are more than ${instanceLimits.bytes / 1024} KiB of them or more than ${instanceLimits.instances} instances, or because not every line of the instances was searched.`,
    'searchedFrom: DateTime':
      'The start of the time that was searched in the log store. Null if it was not read.',
    'mayHaveMore: Boolean!':
      'Whether the source may have older lines that match. `until` reads them: the time of the first line, or `searchedFrom`. False for lines that are followed.',
    lines: property([ComponentLogLine], 'The lines, oldest first.'),
    source: propertyOrNull(
      LogSourceEnum,
      'Where the lines come from. Null if there is nothing to read them from, as `gap` says.',
    ),
    gap: propertyOrNull(
      LogGapEnum,
      'Why the log store of the region was not read. Null if it was, and if only the instances were asked for.',
    ),
  },
});

const ClusterEventType = objectType<ClusterEvent>('ClusterEvent', {
  description:
    'Something that a cluster tells of an object of a component, for example that an image could not be pulled. Changes by users are in `events`.',
  exposes: {
    'isWarning: Boolean!': 'Whether something is wrong.',
    'reason: String!': 'What happened, in a word: `FailedScheduling`.',
    'message: String!': 'What happened.',
    'count: Int!': 'How often it happened.',
    'firstAt: DateTime': 'When it happened first. Null if unknown.',
    'lastAt: DateTime': 'When it happened last. Null if unknown.',
    'objectKind: String!': 'The kind of the object, for example `Pod`.',
    'objectName: String!': 'The name of the object.',
  },
});

const refusalsOf = (server: string) =>
  `Null with a FORBIDDEN error for callers without the \`developer\` role in the team, and with a REGION_UNAVAILABLE error if ${server} does not respond.`;
const refusals = refusalsOf('the cluster');

const instanceArgument = 'The name of an instance. Defaults to all.';
const containerArgument =
  'The name of a container. Defaults to the first one of each instance, and in a log store to all.';

builder.objectFields(Component, (t) => ({
  instances: t.using(...inspectedFields).field({
    type: [ComponentInstance],
    ...nullOnError,
    description: `The instances in the cluster, by name, at most ${maxInstances}. Empty if the region has no cluster. ${refusals}`,
    resolve: (component, _, context) => instancesOf(context, component),
  }),
  logs: t.using(...inspectedFields, 'createdAt').field({
    type: ComponentLogs,
    ...nullOnError,
    description: `The last lines that the instances have written, by time. With \`search\` or \`until\`, they are read from the log store of the region if it has one. Empty if the region has no cluster. A request can read those of 20 components. ${refusalsOf('the cluster or the log store')} \`componentLogs\` follows them.`,
    args: {
      instance: t.arg.string({
        description: instanceArgument,
        validate: validatedBy(model.instanceName),
      }),
      container: t.arg.string({
        description: containerArgument,
        validate: validatedBy(model.containerName),
      }),
      tail: t.arg.int({
        description: `The most lines, from 1 to ${instanceLimits.lines}. Defaults to ${model.defaultTail}.`,
        validate: validatedBy(model.logTail),
      }),
      search: t.arg.string({
        description: `Returns only lines that contain this text, in any letter case. Of the instances, at most ${instanceLimits.searched} of the last lines are searched.`,
        validate: validatedBy(model.logSearch),
      }),
      since: t.arg({
        type: 'DateTime',
        description: `Returns only lines at or after this time. A log store is searched for at most ${model.searchedDays.most} days before \`until\`, and for ${model.searchedDays.default} without this argument.`,
      }),
      until: t.arg({
        type: 'DateTime',
        description: 'Returns only lines at or before this time, to the millisecond. Defaults to now.',
      }),
      source: t.arg({
        type: LogSourceEnum,
        description:
          'Where to read from. Defaults to LOG_STORE if `search` or `until` is given and the region has one, otherwise to INSTANCES.',
        validate: validatedBy(model.componentLogSource),
      }),
    },
    resolve: (component, args, context) => logsOf(context, component, args),
  }),
  clusterEvents: t.using(...inspectedFields, 'createdAt').field({
    type: [ClusterEventType],
    ...nullOnError,
    description: `What the cluster tells of the workload, the instances and the volumes, newest first, at most ${instanceLimits.events}. Clusters forget it after an hour or so. Empty if the region has no cluster. A request can read those of 20 components. ${refusals}`,
    resolve: (component, _, context) => clusterEventsOf(context, component),
  }),
}));

mutation('deleteInstance', model.deleteInstance, recordInstanceDeletion, {
  description:
    'Deletes an instance of a component, which the cluster replaces by a new one. Fails with CONFLICT if the region has no cluster, and with REGION_UNAVAILABLE if the cluster does not respond.',
  load: deleteInstance,
  payload: { component: property(Component, 'The component.') },
});
