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
    'containers: [String!]!': 'The names of the containers. The first is the container of the component.',
    'node: String': 'The node that the instance runs on. Null until it is assigned to a node.',
    'phase: String!': 'The phase: `Pending`, `Running`, `Succeeded`, `Failed`, `Unknown` or `Terminating`.',
    'isReady: Boolean!': 'Whether the instance receives requests.',
    'restarts: Int!': 'The number of restarts of its containers.',
    'startedAt: DateTime': 'The time at which the instance started on its node. Null if it has not started.',
    'reason: String':
      'Why the instance is not running, or why it was restarted within the last minute. Null if nothing is wrong.',
  },
});

const ComponentLogLine = objectType<LogLine>('ComponentLogLine', {
  description: 'A log line of a container.',
  exposes: {
    'instance: String!': 'The name of the instance.',
    'container: String!': 'The name of the container.',
    'text: String!': `The text of the line, cut off after ${instanceLimits.lineBytes / 1024} KiB.`,
  },
  fields: (t) => ({
    at: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'The time at which the line was written. Null if unknown.',
      resolve: ({ at }) => (at === null ? null : new Date(at)),
    }),
  }),
});

export const LogSourceEnum = enumOf('LogSource', model.logSource, 'The source of log lines.', logSources);

const LogGapEnum = enumOf(
  'LogGap',
  z.enum(Object.keys(logGaps) as [LogGap]),
  'Why the log store of a region was not read.',
  logGaps,
);

export const ComponentLogs = objectType<FoundLogs>('ComponentLogs', {
  description: 'Log lines of the instances of a component, or of a run.',
  exposes: {
    'isTruncated: Boolean!': `Whether lines were left out because there are more than ${instanceLimits.bytes / 1024} KiB of them or more than ${instanceLimits.instances} instances, or because not every line of the instances was searched.`,
    'searchedFrom: DateTime':
      'The start of the searched period in the log store. Null if the log store was not read.',
    'mayHaveMore: Boolean!':
      'Whether the source may have older matching lines. To read them, pass the time of the first line or `searchedFrom` as `until`. False for followed logs.',
    lines: property([ComponentLogLine], 'The lines, oldest first.'),
    source: propertyOrNull(LogSourceEnum, 'The source of the lines. Null if there is no source: see `gap`.'),
    gap: propertyOrNull(
      LogGapEnum,
      'Why the log store of the region was not read. Null if it was read, and if only the instances were requested.',
    ),
  },
});

const ClusterEventType = objectType<ClusterEvent>('ClusterEvent', {
  description:
    'An event that a cluster reports for an object of a component, for example an image that could not be pulled. Changes by users are in `events`.',
  exposes: {
    'isWarning: Boolean!': 'Whether the event is a warning.',
    'reason: String!': 'The reason in one word, for example `FailedScheduling`.',
    'message: String!': 'A description of the event.',
    'count: Int!': 'The number of occurrences.',
    'firstAt: DateTime': 'The time of the first occurrence. Null if unknown.',
    'lastAt: DateTime': 'The time of the last occurrence. Null if unknown.',
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
    description: `The instances in the cluster, sorted by name, at most ${maxInstances}. Empty if the region has no cluster. ${refusals}`,
    resolve: (component, _, context) => instancesOf(context, component),
  }),
  logs: t.using(...inspectedFields, 'createdAt').field({
    type: ComponentLogs,
    ...nullOnError,
    description: `The last log lines of the instances, sorted by time. With \`search\` or \`until\`, the lines are read from the log store of the region if it has one. Empty if the region has no cluster. A request can read the logs of at most 20 components. ${refusalsOf('the cluster or the log store')} Subscribe to \`componentLogs\` to follow the log.`,
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
        description: `The maximum number of lines, from 1 to ${instanceLimits.lines}. Defaults to ${model.defaultTail}.`,
        validate: validatedBy(model.logTail),
      }),
      search: t.arg.string({
        description: `Returns only lines that contain this text, ignoring case. For instances, only the last ${instanceLimits.searched} lines are searched.`,
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
          'The source to read from. Defaults to LOG_STORE if `search` or `until` is given and the region has one, otherwise to INSTANCES.',
        validate: validatedBy(model.componentLogSource),
      }),
    },
    resolve: (component, args, context) => logsOf(context, component, args),
  }),
  clusterEvents: t.using(...inspectedFields, 'createdAt').field({
    type: [ClusterEventType],
    ...nullOnError,
    description: `The events that the cluster reports for the workload, the instances and the volumes, newest first, at most ${instanceLimits.events}. Most clusters delete events after an hour. Empty if the region has no cluster. A request can read the events of at most 20 components. ${refusals}`,
    resolve: (component, _, context) => clusterEventsOf(context, component),
  }),
}));

mutation('deleteInstance', model.deleteInstance, recordInstanceDeletion, {
  description:
    'Deletes an instance of a component. The cluster replaces it with a new one. Fails with CONFLICT if the region has no cluster, and with REGION_UNAVAILABLE if the cluster does not respond.',
  load: deleteInstance,
  payload: { component: property(Component, 'The component.') },
});
