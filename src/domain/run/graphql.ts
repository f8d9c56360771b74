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
    'A command that runs once, beside the instances of a component: with its image, variables, files and the credential of its registry as they were deployed last when it starts, and with those of its volumes that instances can share. It gets no requests. The last 100 of a component are kept.',
  read: visibleRun,
  revision: 'Changes of its status are counted, also those that the region makes.',
  uid: 'The id of the run. Use it as `runId` in references.',
  exposes: {
    'timeoutSeconds: Int!': 'How long it may take before it is ended, in seconds.',
    'exitCode: Int': 'The exit code of the command. Null as long as it has not ended by itself.',
    'reason: String':
      'Why it has failed, if the exit code does not say it, or what it waits for. Null if there is nothing to say.',
    'createdAt: DateTime!': 'When it was created.',
    'startedAt: DateTime': 'When its command was started. Null if it was not, as far as is known.',
    'endedAt: DateTime': 'When it ended. Null while it has not.',
    status: property(RunStatus, 'The status.'),
  },
  fields: (t) => ({
    command: t.using('command').stringList({
      description: 'The words of the command.',
      resolve: (run) => commandOf(run),
    }),
    creator: callerField(
      t,
      'The user or service account that started it. Null if a schedule did, and if the account no longer exists or is not visible to the caller.',
    ),
    component: related(t, 'componentId', Component, 'The component.'),
    job: relatedOrNull(
      t,
      'jobId',
      Job,
      'The job that waits for it before it deploys the component: the run is the `preDeployCommand`. Null for other runs, and if the job was deleted after its time.',
    ),
    logs: t.using(...loggedFields).field({
      type: ComponentLogs,
      ...nullOnError,
      description:
        'The last lines that it has written. If the cluster no longer has them, they are those that were saved, or those of the log store of the region. Null with a FORBIDDEN error for callers without the `developer` role in the team, and with a REGION_UNAVAILABLE error if the cluster or the log store does not respond. `componentLogs` follows them.',
      args: {
        tail: t.arg.int({
          description: `The most lines, from 1 to 1000. Defaults to ${model.defaultTail}.`,
          validate: validatedBy(model.logTail),
        }),
        search: t.arg.string({
          description: 'Returns only lines that contain this text, in any letter case.',
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
            'Where to read from. Defaults to LOG_STORE if `search` or `until` is given and the region has one, otherwise to the first of SAVED, INSTANCES and LOG_STORE that has the run.',
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
    'The run of the command before the deploy, for which the job waits before it changes anything of the component. Null if there is none, if it was not started yet, and if it was deleted.',
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
    'Runs a command once, with the configuration of a component and beside its instances. The mutation returns without waiting for it: `run` reads how it is, and `componentLogs` follows its log. It is not part of the quota of the team. Fails with CONFLICT if the component was never deployed, if 20 of its runs have not ended, and if the region has no cluster.',
  returns: { run: property(ComponentRun, 'The new run.') },
});

mutation('cancelRun', model.cancelRun, operations.cancelRun, {
  description:
    'Cancels a run: its command is ended. One that is cancelled already stays as it is. Fails with CONFLICT if it is over.',
  returns: { run: property(ComponentRun, 'The cancelled run.') },
});
