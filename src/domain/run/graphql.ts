import { builder } from '../../graphql/schema/builder.ts';
import { connectionField } from '../../graphql/schema/connection.ts';
import { property } from '../../graphql/schema/exposed.ts';
import { enumOf, referenceOf } from '../../graphql/schema/input.ts';
import { lookup } from '../../graphql/schema/lookup.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { nullOnError } from '../../graphql/schema/null-on-error.ts';
import { related, relatedOrNull } from '../../graphql/schema/related.ts';
import { validatedBy } from '../../graphql/schema/validation.ts';
import { Component } from '../component/graphql.ts';
import { ComponentLogs, LogSourceEnum } from '../component/instances/graphql.ts';
import * as instances from '../component/instances/model.ts';
import { JobComponent } from '../job/component-graphql.ts';
import { Job } from '../job/graphql.ts';
import { callerField } from '../service-account/graphql.ts';
import { logsOfRun } from './log-reads.ts';
import * as model from './model.ts';
import * as operations from './operations.ts';
import { commandOf, loggedFields, requireRun, runsOf, visibleRun } from './reads.ts';

export const RunRef = referenceOf('RunRef', model.runRef, 'Identifies a run. Set exactly one field.');

const RunStatus = enumOf('RunStatus', model.runStatus, 'The status of a run.', model.runStatuses);

export const ComponentRun = entity('ComponentRun', 'ComponentRun', {
  description:
    'A command that runs once, in a separate instance of a component: with the image, variables, files and registry credential of the last deploy, and with the volumes that instances can share. It receives no requests. The last 100 of a component are kept.',
  read: visibleRun,
  revision: 'Changes of its status are counted, including those made by the region.',
  uid: 'The id of the run. Use it as `runId` in references.',
  exposes: {
    'timeoutSeconds: Int!': 'The time limit of the run, in seconds. A run that exceeds it is ended.',
    'exitCode: Int': 'The exit code of the command. Null if the command has not ended by itself.',
    'reason: String':
      'Why the run failed, if the exit code does not show it, or what the run waits for. Null otherwise.',
    'createdAt: DateTime!': 'The creation time.',
    'startedAt: DateTime':
      'The time at which the command started. Null if it has not started or the time is unknown.',
    'endedAt: DateTime': 'The time at which the run ended. Null if it has not ended.',
    status: property(RunStatus, 'The status.'),
  },
  fields: (t) => ({
    command: t.using('command').stringList({
      description: 'The command, as a list of words.',
      resolve: (run) => commandOf(run),
    }),
    creator: callerField(
      t,
      'The user or service account that started the run. Null if a schedule started it, and if the account no longer exists or is not visible to the caller.',
    ),
    component: related(t, 'componentId', Component, 'The component.'),
    job: relatedOrNull(
      t,
      'jobId',
      Job,
      'The job that waits for this run of the `preDeployCommand` before it deploys the component. Null for other runs, and if the job was deleted.',
    ),
    logs: t.using(...loggedFields).field({
      type: ComponentLogs,
      ...nullOnError,
      description:
        'The last log lines of the run. If the cluster no longer has them, they are read from the saved log or from the log store of the region. Null with a FORBIDDEN error for callers without the `developer` role in the team, and with a REGION_UNAVAILABLE error if the cluster or the log store does not respond. Subscribe to `componentLogs` to follow the log.',
      args: {
        tail: t.arg.int({
          description: `The maximum number of lines, from 1 to 1000. Defaults to ${model.defaultTail}.`,
          validate: validatedBy(model.logTail),
        }),
        search: t.arg.string({
          description: 'Returns only lines that contain this text, ignoring case.',
          validate: validatedBy(instances.logSearch),
        }),
        since: t.arg({ type: 'DateTime', description: 'Returns only lines at or after this time.' }),
        until: t.arg({
          type: 'DateTime',
          description: 'Returns only lines at or before this time, to the millisecond. Defaults to now.',
        }),
        source: t.arg({
          type: LogSourceEnum,
          description:
            'The source to read from. Defaults to LOG_STORE if `search` or `until` is given and the region has one, otherwise to the first of SAVED, INSTANCES and LOG_STORE that has the run.',
        }),
      },
      resolve: (run, args, context) => logsOfRun(context, run, args),
    }),
  }),
});

builder.objectField(JobComponent, 'preDeployRun', (t) =>
  relatedOrNull(
    t,
    'runId',
    ComponentRun,
    'The run of the pre-deploy command. The job waits for it before it changes the component. Null if the component has no such command, and if the run has not started or was deleted.',
  ),
);

lookup('run', ComponentRun, { ref: model.runRef, read: requireRun });

builder.objectField(Component, 'runs', (t) =>
  connectionField(t.using('id'), {
    node: ComponentRun,
    isEndless: true,
    plural: 'runs',
    description: 'The runs of the component, newest first.',
    args: {
      status: t.arg({ type: RunStatus, description: model.runFilter.shape.status.description! }),
    },
    list: (component, args) => runsOf(component.id, args),
  }),
);

mutation('runComponent', model.runComponent, operations.runComponent, {
  description:
    'Runs a command once, in a separate instance with the configuration of a component. Returns without waiting for the command: read its status with `run`, and follow its log with `componentLogs`. Runs do not count toward the quota of the team. Fails with CONFLICT if the component was never deployed, if 20 of its runs have not ended, and if the region has no cluster.',
  returns: { run: property(ComponentRun, 'The new run.') },
});

mutation('cancelRun', model.cancelRun, operations.cancelRun, {
  description:
    'Cancels a run, which ends its command. A run that is already cancelled is unchanged. Fails with CONFLICT if the run has ended.',
  returns: { run: property(ComponentRun, 'The cancelled run.') },
});
