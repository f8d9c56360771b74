import type { Context } from '../../context.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { property } from '../../graphql/schema/exposed.ts';
import { enumOf, inputOf } from '../../graphql/schema/input.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { nullOnError } from '../../graphql/schema/null-on-error.ts';
import { objectType } from '../../graphql/schema/object-type.ts';
import { plan } from '../../graphql/schema/plan.ts';
import { derived } from '../../kernel/derived.ts';
import { QuotaExceededError, StoreRefusedError, StoreUnavailableError } from '../../kernel/errors.ts';
import { Application } from '../application/graphql.ts';
import { loadApplication } from '../application/reads.ts';
import { ComponentGroup } from '../component/group-graphql.ts';
import { jobResult } from '../job/graphql.ts';
import { installApplication, store, storeType, templateVariable } from './model.ts';
import { omittedResult } from './omitted-graphql.ts';
import * as operations from './operations.ts';
import { canUpgrade, type InstalledTemplate, installedTemplates, upgradeVersionsOf } from './reads.ts';

enumOf('StoreType', storeType, 'The type of an app store, which determines its protocol.', {
  standard: 'The store protocol that this platform also serves.',
});
inputOf('StoreInput', store, 'An app store.');
inputOf('TemplateVariableInput', templateVariable, 'A value for a variable of a template.');

const AvailableUpgrade = objectType<InstalledTemplate>('AvailableUpgrade', {
  description:
    'A template that is installed in an application, with the versions that it can be upgraded to.',
  exposes: {
    'templateId: String!': 'The key of the template. REST: `app_model_id`.',
    'currentVersion: String!':
      'The installed version. If the template is installed more than once, the lowest installed version. REST: `current_version`.',
  },
  fields: (t) => ({
    storeName: t.string({
      description: 'The name of the store that the template was installed from. REST: `market_name`.',
      resolve: (installed) => installed.store.name,
    }),
    storeUrl: t.field({
      type: 'URL',
      description: 'The URL of the store.',
      resolve: (installed) => installed.store.url,
    }),
    templateName: t.exposeString('name', {
      description: 'The name of the template. REST: `app_model_name`.',
    }),
    canUpgrade: t.boolean({
      description:
        'Whether the template can be upgraded. False if the store does not respond. REST: `can_upgrade`.',
      resolve: (installed, _, context) => canUpgrade(context, installed),
    }),
    upgradeVersions: t.stringList({
      ...nullOnError,
      description:
        'The enabled versions newer than the installed one, in ascending order. Null with an error if the store does not respond. REST: `upgrade_versions`.',
      resolve: (installed, _, context) => upgradeVersionsOf(context, installed),
    }),
    source: t.string({
      description: 'The source of the template. Always `market`.',
      resolve: () => 'market',
    }),
  }),
});

/** The estimated size of an installed template. */
const sizeOfInstalled = 500;
const templatesIn = derived(
  (application: { id: number }, context: Context) => installedTemplates(context, application.id),
  (_, installed) => installed.length * sizeOfInstalled,
);

builder.objectFields(Application, (t) => ({
  upgrades: t.using('id').field({
    type: [AvailableUpgrade],
    description:
      'The templates that are installed in the application, with the versions that they can be upgraded to. REST: `GET …/upgrade`.',
    resolve: (application, _, context) => templatesIn(application, context),
  }),
}));

export const storeErrors = [StoreRefusedError, StoreUnavailableError, QuotaExceededError];

mutation('installApplication', installApplication, operations.installApplication, {
  description:
    'Installs a template from an app store into an application, in one transaction. With `dryRun`, returns the plan without installing anything. REST: `POST …/install`.',
  operation: {
    advice: 'find_templates has the published templates.',
    selection: { group: 'id name templateVersion revision', omitted: false },
  },
  errors: storeErrors,
  load: async (context, { application, ...installed }) => ({
    ...installed,
    application: await loadApplication(context, application.id),
  }),
  payload: {
    application: property(Application, 'The application, with the new components.'),
    group: property(
      ComponentGroup,
      'The group of the new components. For a dry run, the group that would be created.',
    ),
    job: jobResult,
    plan,
    omitted: omittedResult,
  },
});
