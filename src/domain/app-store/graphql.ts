import type { Row } from '../../db/tables.ts';
import { builder, restName } from '../../graphql/schema/builder.ts';
import { connectionField } from '../../graphql/schema/connection.ts';
import { enumOf, inputOf } from '../../graphql/schema/input.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { QuotaExceededError, StoreRefusedError, StoreUnavailableError } from '../../kernel/errors.ts';
import { Application } from '../application/graphql.ts';
import { applicationById } from '../application/reads.ts';
import { ComponentGroup } from '../component/parts-graphql.ts';
import { componentGroupById } from '../component/reads.ts';
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

enumOf('StoreType', storeType, 'Kinds of app stores, by the protocol that they speak.', {
  standard: 'The protocol that this platform itself serves.',
});
inputOf('StoreInput', store, 'An app store.');
inputOf('TemplateUpgradeInput', templateUpgrade, 'An installed template, and the version that it goes to.');

const ChangeKindEnum = builder.enumType('UpgradeChangeKind', {
  description: 'What an upgrade does to one thing.',
  values: Object.fromEntries(
    Object.entries(changeKinds).map(([kind, description]) => [kind, { value: kind, description }]),
  ) as { [K in keyof typeof changeKinds]: { value: K; description: string } },
});

const UpgradeChangeObject = builder.objectRef<UpgradeChange>('UpgradeChange').implement({
  description: 'One thing that an upgrade changes.',
  fields: (t) => ({
    component: t.exposeString('component', { description: 'Name of the component.' }),
    kind: t.expose('kind', { type: ChangeKindEnum, description: 'What is done.' }),
    name: t.exposeString('name', {
      description: 'What it is done to: a field, variable, port, path or key.',
    }),
    before: t.exposeString('before', { nullable: true, description: 'The value before; null for none.' }),
    after: t.exposeString('after', { nullable: true, description: 'The value after; null for none.' }),
  }),
});

const AvailableUpgrade = builder.objectRef<InstalledTemplate>('AvailableUpgrade').implement({
  description: 'A template that is installed in an application, and what it can be upgraded to.',
  fields: (t) => ({
    storeName: t.string({
      description: restName('The store that it came from.', 'market_name'),
      resolve: (installed) => installed.store.name,
    }),
    storeUrl: t.string({ description: 'Address of the store.', resolve: (installed) => installed.store.url }),
    templateId: t.exposeString('templateId', { description: restName('The template.', 'app_model_id') }),
    templateName: t.exposeString('name', { description: restName('Its name.', 'app_model_name') }),
    currentVersion: t.exposeString('currentVersion', {
      description: restName(
        'The installed version; the lowest, where it is installed twice.',
        'current_version',
      ),
    }),
    canUpgrade: t.boolean({
      description: restName(
        'Whether there is a version to go to; false when the store does not answer.',
        'can_upgrade',
      ),
      resolve: (installed, _, context) => canUpgrade(context, installed),
    }),
    upgradeVersions: t.stringList({
      nullable: true,
      description: restName(
        'Enabled versions above the installed one, ascending; null with an error when the store does not answer.',
        'upgrade_versions',
      ),
      resolve: (installed, _, context) => upgradeVersionsOf(context, installed),
    }),
    source: t.string({ description: 'Where it came from: `market`.', resolve: () => 'market' }),
  }),
});

export const UpgradeRecord = entity('UpgradeRecord', 'UpgradeRecord', {
  description: 'An upgrade that was carried out.',
  read: visibleUpgradeRecord,
  id: (row) => row.id,
  fields: (t) => ({
    templateId: t.exposeString('templateId', { description: 'The template.' }),
    fromVersion: t.exposeString('fromVersion', { description: 'The version before.' }),
    toVersion: t.exposeString('toVersion', { description: 'The version after.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it happened.' }),
    changes: t.field({
      type: [UpgradeChangeObject],
      description: 'What it changed.',
      columns: ['changes'],
      resolve: (record) => JSON.parse(record.changes) as UpgradeChange[],
    }),
    user: t.field({
      type: User,
      nullable: true,
      description: 'The user who did it; null when the account is gone or not visible to the caller.',
      columns: ['userId'],
      resolve: (record, _, context) =>
        record.userId === null ? null : visibleUserById(context, record.userId),
    }),
    group: t.field({
      type: ComponentGroup,
      description: 'The components that were upgraded.',
      columns: ['groupId'],
      resolve: async (record, _, context) => (await componentGroupById(context, record.groupId))!,
    }),
    application: t.field({
      type: Application,
      description: 'The application that they are part of.',
      columns: ['applicationId'],
      resolve: async (record, _, context) => (await applicationById(context, record.applicationId))!,
    }),
  }),
});

builder.objectFields(Application, (t) => ({
  upgrades: t.field({
    type: [AvailableUpgrade],
    description:
      'The templates that are installed in it, with the versions to which they can go. REST: `GET …/upgrade`.',
    columns: ['id'],
    resolve: (application, _, context) => installedTemplates(context, application.id),
  }),
  upgradeRecords: connectionField(t, {
    node: UpgradeRecord,
    plural: 'upgrade records',
    description: 'The upgrades that were carried out, newest first.',
    columns: ['id'],
    list: (application: Row<'Application'>) => upgradeRecordsOf(application.id),
  }),
}));

const UpgradeOutcome = builder.objectRef<operations.UpgradeOutcome>('UpgradeOutcome').implement({
  description: 'What an upgrade of one template does, or did.',
  fields: (t) => ({
    storeName: t.string({ description: 'The store.', resolve: ({ installed }) => installed.store.name }),
    templateId: t.string({ description: 'The template.', resolve: ({ installed }) => installed.templateId }),
    templateName: t.string({ description: 'Its name.', resolve: ({ installed }) => installed.name }),
    fromVersion: t.exposeString('fromVersion', { description: 'The version before.' }),
    toVersion: t.exposeString('toVersion', { description: 'The version after.' }),
    changes: t.expose('changes', {
      type: [UpgradeChangeObject],
      description: 'What changes, one thing a line.',
    }),
  }),
});

const storeErrors = [StoreRefusedError, StoreUnavailableError, QuotaExceededError];

mutation('installApplication', {
  description:
    'Installs a template of an app store into an application: all of it or nothing. Takes the role developer in the team. REST: `POST …/install`.',
  input: installApplication,
  errors: storeErrors as never,
  run: operations.installApplication,
  payload: (t) => ({
    application: t.expose('application', {
      type: Application,
      description: 'The application, with its new components.',
    }),
    group: t.expose('group', { type: ComponentGroup, description: 'The group of the new components.' }),
  }),
});

mutation('upgradeApplication', {
  description:
    'Upgrades installed templates: all that are named, or none. What users changed is kept. With `dryRun` it answers the plan, and changes nothing. Takes the role developer in the team. REST: `POST …/upgrade`.',
  input: upgradeApplication,
  errors: storeErrors as never,
  run: operations.upgradeApplication,
  payload: (t) => ({
    application: t.expose('application', { type: Application, description: 'The application as it is now.' }),
    outcomes: t.expose('outcomes', {
      type: [UpgradeOutcome],
      description: 'What was, or would be, changed.',
    }),
  }),
});
