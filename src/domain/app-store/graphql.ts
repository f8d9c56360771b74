import type { Row } from '../../db/tables.ts';
import { builder, restName } from '../../graphql/schema/builder.ts';
import { connectionField } from '../../graphql/schema/connection.ts';
import { enumOf, inputOf } from '../../graphql/schema/input.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { QuotaExceededError, StoreRefusedError, StoreUnavailableError } from '../../kernel/errors.ts';
import { Application } from '../application/graphql.ts';
import { loadApplication } from '../application/reads.ts';
import { ComponentGroup } from '../component/parts-graphql.ts';
import { loadComponentGroup } from '../component/reads.ts';
import { User } from '../user/graphql.ts';
import { visibleUserById } from '../user/reads.ts';
import {
  changeKinds,
  installApplication,
  store,
  storeType,
  templateUpgrade,
  type UpgradeChange,
  upgradeApplication,
} from './model.ts';
import * as operations from './operations.ts';
import {
  canUpgrade,
  type InstalledTemplate,
  installedTemplates,
  upgradeRecordsOf,
  upgradeVersionsOf,
  visibleUpgradeRecord,
} from './reads.ts';

enumOf('StoreType', storeType, 'The type of an app store, which determines its protocol.', {
  standard: 'The store protocol that this platform also serves.',
});
inputOf('StoreInput', store, 'An app store.');
inputOf('TemplateUpgradeInput', templateUpgrade, 'An installed template and the version to upgrade it to.');

const ChangeKindEnum = builder.enumType('UpgradeChangeKind', {
  description: 'The kind of a change that an upgrade makes.',
  values: Object.fromEntries(
    Object.entries(changeKinds).map(([kind, description]) => [kind, { value: kind, description }]),
  ) as { [K in keyof typeof changeKinds]: { value: K; description: string } },
});

const UpgradeChangeObject = builder.objectRef<UpgradeChange>('UpgradeChange').implement({
  description: 'A change that an upgrade makes or would make.',
  fields: (t) => ({
    component: t.exposeString('component', { description: 'The name of the component.' }),
    kind: t.expose('kind', { type: ChangeKindEnum, description: 'The kind of change.' }),
    name: t.exposeString('name', {
      description: 'The name of the changed field, variable, port, path or key.',
    }),
    before: t.exposeString('before', {
      nullable: true,
      description: 'The value before the change. Null if there was none.',
    }),
    after: t.exposeString('after', {
      nullable: true,
      description: 'The value after the change. Null if there is none.',
    }),
  }),
});

const AvailableUpgrade = builder.objectRef<InstalledTemplate>('AvailableUpgrade').implement({
  description:
    'A template that is installed in an application, with the versions that it can be upgraded to.',
  fields: (t) => ({
    storeName: t.string({
      description: restName('The name of the store that the template was installed from.', 'market_name'),
      resolve: (installed) => installed.store.name,
    }),
    storeUrl: t.string({ description: 'The URL of the store.', resolve: (installed) => installed.store.url }),
    templateId: t.exposeString('templateId', {
      description: restName('The key of the template.', 'app_model_id'),
    }),
    templateName: t.exposeString('name', {
      description: restName('The name of the template.', 'app_model_name'),
    }),
    currentVersion: t.exposeString('currentVersion', {
      description: restName(
        'The installed version. If the template is installed more than once, the lowest of them.',
        'current_version',
      ),
    }),
    canUpgrade: t.boolean({
      description: restName(
        'Whether the template can be upgraded. False if the store does not respond.',
        'can_upgrade',
      ),
      resolve: (installed, _, context) => canUpgrade(context, installed),
    }),
    upgradeVersions: t.stringList({
      nullable: true,
      description: restName(
        'The enabled versions newer than the installed one, in ascending order. Null with an error if the store does not respond.',
        'upgrade_versions',
      ),
      resolve: (installed, _, context) => upgradeVersionsOf(context, installed),
    }),
    source: t.string({
      description: 'The source of the template. Always `market`.',
      resolve: () => 'market',
    }),
  }),
});

export const UpgradeRecord = entity('UpgradeRecord', 'UpgradeRecord', {
  description: 'The record of an upgrade.',
  read: visibleUpgradeRecord,
  id: (row) => row.id,
  fields: (t) => ({
    templateId: t.exposeString('templateId', { description: 'The key of the template.' }),
    fromVersion: t.exposeString('fromVersion', { description: 'The version before the upgrade.' }),
    toVersion: t.exposeString('toVersion', { description: 'The version after the upgrade.' }),
    at: t.expose('at', { type: 'DateTime', description: 'The time of the upgrade.' }),
    changes: t.field({
      type: [UpgradeChangeObject],
      description: 'The changes that the upgrade made.',
      columns: ['changes'],
      resolve: (record) => JSON.parse(record.changes) as UpgradeChange[],
    }),
    user: t.field({
      type: User,
      nullable: true,
      description:
        'The user who made the upgrade. Null if the account no longer exists or is not visible to the caller.',
      columns: ['userId'],
      resolve: (record, _, context) =>
        record.userId === null ? null : visibleUserById(context, record.userId),
    }),
    group: t.field({
      type: ComponentGroup,
      description: 'The group of components that was upgraded.',
      columns: ['groupId'],
      resolve: (record, _, context) => loadComponentGroup(context, record.groupId),
    }),
    application: t.field({
      type: Application,
      description: 'The application of the upgraded components.',
      columns: ['applicationId'],
      resolve: (record, _, context) => loadApplication(context, record.applicationId),
    }),
  }),
});

builder.objectFields(Application, (t) => ({
  upgrades: t.field({
    type: [AvailableUpgrade],
    description:
      'The templates that are installed in the application, with the versions that they can be upgraded to. REST: `GET …/upgrade`.',
    columns: ['id'],
    resolve: (application, _, context) => installedTemplates(context, application.id),
  }),
  upgradeRecords: connectionField(t, {
    node: UpgradeRecord,
    plural: 'upgrade records',
    description: 'The records of past upgrades, newest first.',
    columns: ['id'],
    list: (application: Row<'Application'>) => upgradeRecordsOf(application.id),
  }),
}));

const UpgradeOutcome = builder.objectRef<operations.UpgradeOutcome>('UpgradeOutcome').implement({
  description: 'The upgrade of one template, made or planned.',
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
    fromVersion: t.exposeString('fromVersion', { description: 'The version before the upgrade.' }),
    toVersion: t.exposeString('toVersion', { description: 'The version after the upgrade.' }),
    changes: t.expose('changes', {
      type: [UpgradeChangeObject],
      description: 'The changes of the upgrade.',
    }),
  }),
});

const storeErrors = [StoreRefusedError, StoreUnavailableError, QuotaExceededError];

mutation('installApplication', {
  description:
    'Installs a template from an app store into an application, in one transaction. Requires the `developer` role in the team. REST: `POST …/install`.',
  input: installApplication,
  errors: storeErrors,
  run: operations.installApplication,
  payload: (t) => ({
    application: t.expose('application', {
      type: Application,
      description: 'The application, with the new components.',
    }),
    group: t.expose('group', { type: ComponentGroup, description: 'The group of the new components.' }),
  }),
});

mutation('upgradeApplication', {
  description:
    'Upgrades installed templates, in one transaction. Values that users have changed are kept. With `dryRun`, returns the planned changes without making them. Requires the `developer` role in the team. REST: `POST …/upgrade`.',
  input: upgradeApplication,
  errors: storeErrors,
  run: operations.upgradeApplication,
  payload: (t) => ({
    application: t.expose('application', { type: Application, description: 'The updated application.' }),
    outcomes: t.expose('outcomes', {
      type: [UpgradeOutcome],
      description: 'The upgrades that were made or, with `dryRun`, would be made.',
    }),
  }),
});
