import { builder } from '../../../graphql/schema/builder.ts';
import { connectionField } from '../../../graphql/schema/connection.ts';
import { property } from '../../../graphql/schema/exposed.ts';
import { enumOf, inputOf } from '../../../graphql/schema/input.ts';
import { mutation } from '../../../graphql/schema/mutation.ts';
import { entity } from '../../../graphql/schema/node.ts';
import { objectType } from '../../../graphql/schema/object-type.ts';
import { related, relatedOrNull } from '../../../graphql/schema/related.ts';
import { derived } from '../../../kernel/derived.ts';
import { QuotaExceededError } from '../../../kernel/errors.ts';
import { Application } from '../../application/graphql.ts';
import { loadApplication } from '../../application/reads.ts';
import { ComponentGroup } from '../../component/group-graphql.ts';
import { loadComponentGroup } from '../../component/reads.ts';
import { Job } from '../../job/graphql.ts';
import { User } from '../../user/graphql.ts';
import { storeErrors } from '../graphql.ts';
import {
  changeKinds,
  rollbackUpgrade,
  templateUpgrade,
  type UpgradeChange,
  upgradeApplication,
  upgradeKind,
  upgradeKinds,
} from '../model.ts';
import { omittedResult } from '../omitted-graphql.ts';
import { rollbackVersionOf, upgradeRecordById, upgradeRecordsOf, visibleUpgradeRecord } from '../reads.ts';
import * as operations from './operations.ts';
import * as rollback from './rollback-operations.ts';
import { upgradeSummary } from './summary-model.ts';

inputOf('TemplateUpgradeInput', templateUpgrade, 'An installed template and the version to upgrade it to.');

const UpgradeKind = enumOf('UpgradeKind', upgradeKind, 'The kind of an upgrade record.', upgradeKinds);

const ChangeKindEnum = builder.enumType('UpgradeChangeKind', {
  description: 'The kind of a change that an upgrade or a rollback makes.',
  values: Object.fromEntries(
    Object.entries(changeKinds).map(([kind, description]) => [kind, { value: kind, description }]),
  ) as { [K in keyof typeof changeKinds]: { value: K; description: string } },
});

const UpgradeChangeObject = objectType<UpgradeChange>('UpgradeChange', {
  description: 'A change that an upgrade or a rollback makes or would make.',
  exposes: {
    'component: String!': 'The name of the component.',
    'name: String!': 'The name of the changed field, variable, port, path or key.',
    'before: String': 'The value before the change. Null if there was no value.',
    'after: String': 'The value after the change. Null if there is no value.',
    kind: property(ChangeKindEnum, 'The kind of change.'),
  },
  fields: (t) => ({
    summary: t.string({
      description:
        'The change in one sentence with names, such as `catalogue: image 0.3.4 → 0.3.5`. Intended for people: the wording can change.',
      resolve: upgradeSummary,
    }),
  }),
});

const changesOf = derived(
  (record: { changes: string }) => JSON.parse(record.changes) as UpgradeChange[],
  ({ changes }) => changes.length,
);

const UpgradeRecord = entity('UpgradeRecord', 'UpgradeRecord', {
  description: 'The record of an upgrade or a rollback.',
  read: visibleUpgradeRecord,
  exposes: {
    'templateId: String!': 'The key of the template.',
    'fromVersion: String!': 'The version before the change.',
    'toVersion: String!': 'The version after the change.',
    'at: DateTime!': 'The time of the change.',
  },
  fields: (t) => ({
    kind: t.using('kind').field({
      type: UpgradeKind,
      description: 'Whether this is an upgrade or a rollback.',
      resolve: ({ kind }) => kind as 'upgrade',
    }),
    changes: t.using('changes').field({
      type: [UpgradeChangeObject],
      description: 'The changes that were made.',
      resolve: (record, _, context) => changesOf(record, context),
    }),
    user: relatedOrNull(
      t,
      'userId',
      User,
      'The user who made the change. Null if the account no longer exists or is not visible to the caller.',
    ),
    group: related(t, 'groupId', ComponentGroup, 'The group of components that was changed.'),
    application: related(t, 'applicationId', Application, 'The application of the changed components.'),
  }),
});

builder.objectField(UpgradeRecord, 'rollback', (t) =>
  relatedOrNull(
    t,
    'rollbackId',
    UpgradeRecord,
    'The record of the rollback that undid the upgrade. Null if it was not rolled back.',
    upgradeRecordById,
  ),
);

builder.objectFields(Application, (t) => ({
  upgradeRecords: connectionField(t.using('id'), {
    node: UpgradeRecord,
    plural: 'upgrade records',
    description: 'The records of past upgrades, newest first.',
    list: (application, _, context) => upgradeRecordsOf(context, application.id),
  }),
}));

builder.objectField(ComponentGroup, 'rollbackVersion', (t) =>
  t.using('id').string({
    nullable: true,
    description: 'The version that `rollbackUpgrade` restores. Null if there is no upgrade to roll back.',
    resolve: (group, _, context) => rollbackVersionOf(context, group.id),
  }),
);

const UpgradeOutcome = objectType<operations.UpgradeOutcome>('UpgradeOutcome', {
  description: 'The upgrade or rollback of one template, made or planned.',
  exposes: {
    'fromVersion: String!': 'The version before the change.',
    'toVersion: String!': 'The version after the change.',
    'leftStopped: [String!]!':
      'The names of the changed components that stay stopped, because `startStopped` is not true. Their changes take effect with their next deploy.',
    changes: property([UpgradeChangeObject], 'The changes that were made or, with `dryRun`, would be made.'),
    jobs: property(
      [Job],
      'The jobs that carry out the changes, one for each component group with deployed components. Empty for a dry run.',
    ),
  },
  fields: (t) => ({
    storeName: t.string({
      description: 'The name of the store.',
      resolve: ({ installed }) => installed.store.name,
    }),
    templateId: t.string({
      description: 'The key of the template.',
      resolve: ({ installed }) => installed.templateId,
    }),
    templateName: t.string({
      description: 'The name of the template.',
      resolve: ({ installed }) => installed.name,
    }),
  }),
});

mutation('upgradeApplication', upgradeApplication, operations.upgradeApplication, {
  description:
    'Upgrades installed templates, in one transaction. Values that users have changed are kept. Stopped components stay stopped, unless `startStopped` is true. With `dryRun`, returns the planned changes without making them. REST: `POST …/upgrade`.',
  operation: {
    advice: 'Returns each change. list_upgrades has the versions. Call it with `dryRun` first.',
    selection: { omitted: false },
  },
  hasOwnPlan: true,
  errors: storeErrors,
  load: async (context, { application, outcomes, omitted }) => ({
    application: await loadApplication(context, application.id),
    outcomes,
    omitted,
  }),
  payload: {
    application: property(Application, 'The updated application.'),
    outcomes: property([UpgradeOutcome], 'The upgrades that were made or, with `dryRun`, would be made.'),
    omitted: omittedResult,
  },
});

mutation('rollbackUpgrade', rollbackUpgrade, rollback.rollbackUpgrade, {
  description:
    'Rolls a group of components back to the version before its last upgrade, in one transaction. Values that users have changed since are kept. Components that the upgrade added are stopped and kept, and components that it removed are restored. Stopped components stay stopped, unless `startStopped` is true. Another call goes back one more version. With `dryRun`, returns the planned changes without making them.',
  operation: {
    advice: 'list_upgrades has the groups. Call it with `dryRun` first.',
    selection: { group: false },
  },
  hasOwnPlan: true,
  errors: [QuotaExceededError],
  load: async (context, { application, group, outcome }) => ({
    application: await loadApplication(context, application.id),
    group: await loadComponentGroup(context, group.id),
    outcome,
  }),
  payload: {
    application: property(Application, 'The updated application.'),
    group: property(ComponentGroup, 'The group of components.'),
    outcome: property(UpgradeOutcome, 'The rollback that was made or, with `dryRun`, would be made.'),
  },
});
