import type { Context } from '../../context.ts';
import { builder, restName } from '../../graphql/schema/builder.ts';
import { enumOf, inputOf } from '../../graphql/schema/input.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { nullOnError } from '../../graphql/schema/null-on-error.ts';
import { planField } from '../../graphql/schema/plan.ts';
import { derived } from '../../kernel/derived.ts';
import { QuotaExceededError, StoreRefusedError, StoreUnavailableError } from '../../kernel/errors.ts';
import { Application } from '../application/graphql.ts';
import { loadApplication } from '../application/reads.ts';
import { ComponentGroup } from '../component/group-graphql.ts';
import { jobField } from '../job/graphql.ts';
import { installApplication, store, storeType, templateVariable } from './model.ts';
import { omittedField } from './omitted-graphql.ts';
import * as operations from './operations.ts';
import { canUpgrade, type InstalledTemplate, installedTemplates, upgradeVersionsOf } from './reads.ts';

enumOf('StoreType', storeType, 'The type of an app store, which determines its protocol.', {
  standard: 'The store protocol that this platform also serves.',
});
inputOf('StoreInput', store, 'An app store.');
inputOf('TemplateVariableInput', templateVariable, 'A value for a variable of a template.');

const AvailableUpgrade = builder.objectRef<InstalledTemplate>('AvailableUpgrade').implement({
  description:
    'A template that is installed in an application, with the versions that it can be upgraded to.',
  fields: (t) => ({
    storeName: t.string({
      description: restName('The name of the store that the template was installed from.', 'market_name'),
      resolve: (installed) => installed.store.name,
    }),
    storeUrl: t.field({
      type: 'URL',
      description: 'The URL of the store.',
      resolve: (installed) => installed.store.url,
    }),
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
      ...nullOnError,
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

mutation('installApplication', {
  description:
    'Installs a template from an app store into an application, in one transaction. With `dryRun`, returns the plan without installing anything. REST: `POST …/install`.',
  operation: {
    advice: 'find_templates has the templates that are published here.',
    selection: { group: 'id name templateVersion revision', omitted: false },
  },
  input: installApplication,
  errors: storeErrors,
  run: operations.installApplication,
  load: async (context, { application, group, job, plan, omitted }) => ({
    application: await loadApplication(context, application.id),
    group,
    job,
    plan,
    omitted,
  }),
  payload: (t) => ({
    application: t.expose('application', {
      type: Application,
      description: 'The application, with the new components.',
    }),
    group: t.expose('group', {
      type: ComponentGroup,
      description: 'The group of the new components. A dry run returns it as it would be.',
    }),
    job: jobField(t),
    plan: planField(t),
    omitted: omittedField(t),
  }),
});
