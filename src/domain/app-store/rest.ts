import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { ApiError } from '../../kernel/errors.ts';
import { expectedBy } from '../../rest/entity-tag.ts';
import { flag } from '../../rest/parameters.ts';
import { type Route, route } from '../../rest/route.ts';
import { answer, body, described, fieldsOf, view } from '../../rest/view.ts';
import { applicationAt, applicationPath } from '../application/rest.ts';
import { componentInfosOf } from '../component/rest.ts';
import { componentInfo } from '../component/view-rest.ts';
import { installApplication, maxUpgrades, store, storeType, templateUpgrade } from './model.ts';
import * as operations from './operations.ts';
import { type InstalledTemplate, installedTemplates, upgradeVersionsOf } from './reads.ts';
import { upgradeApplication } from './upgrade/operations.ts';

const install = body(
  'Install',
  'The template to install, and its store.',
  z.strictObject({
    market_url: described(
      store.shape.url,
      'The URL of the store, `http` or `https`.',
      'http://127.0.0.1:4000',
    ),
    market_domain: described(store.shape.domain, 'The domain of the store. Can be empty.', 'demo'),
    market_type: described(storeType, 'The type of the store.', 'standard'),
    market_access_key: described(
      store.shape.accessKey,
      'The access key for the store. Stored encrypted; it cannot be read again.',
      '<API_KEY>',
    ),
    app_model_id: described(
      installApplication.shape.templateId,
      'The key of the template in the store.',
      '90319995f169d1f071f58441de9f9a45',
    ),
    app_model_version: described(installApplication.shape.version, 'The version of the template.', '0.0.12'),
  }),
);

const upgrade = body(
  'Upgrade',
  'The templates to upgrade, with their new versions. Either all of them are upgraded or none.',
  z.strictObject({
    update_versions: described(
      z
        .array(
          z.strictObject({
            market_name: described(
              templateUpgrade.shape.storeName,
              'The name of the store, as in the upgrade report.',
              'demo',
            ),
            app_model_id: described(
              templateUpgrade.shape.templateId,
              'The key of a template that is installed in the application.',
              '90319995f169d1f071f58441de9f9a45',
            ),
            app_model_version: described(
              templateUpgrade.shape.version,
              "The version to upgrade to, one of the template's `upgrade_versions`.",
              '0.3.0',
            ),
          }),
        )
        .min(1)
        .max(maxUpgrades),
      `The templates to upgrade, at most ${maxUpgrades}.`,
    ),
  }),
);

const installed = answer(
  'MarketInstall',
  'An application with all its components after the installation.',
  z.object({
    enterprise_id: described(z.string(), 'The id of the enterprise.', '0f1e2d3c4b5a69788796a5b4c3d2e1f0'),
    team_id: described(z.string(), 'The id of the team.', '6b1f0a3c5d7e49f08a2b4c6d8e0f1a2b'),
    note: described(z.string(), 'A note about the application. Empty if there is none.', ''),
    ID: described(z.int(), 'The numeric id of the application.', 5),
    region_name: described(z.string(), 'The name of the region.', 'us-east'),
    service_list: described(z.array(componentInfo.schema), 'The components, sorted by name.'),
  }),
);

interface Reported {
  team: Row<'Team'>;
  template: InstalledTemplate;
}

/** Empty if the store does not respond. */
async function offeredTo(context: Context, template: InstalledTemplate): Promise<string[]> {
  try {
    return await upgradeVersionsOf(context, template);
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}

const field = fieldsOf<Reported>();

const reported = view(
  'ListUpgrade',
  'A template that is installed in an application, with the versions that it can be upgraded to.',
  {
    market_name: field(z.string(), 'The name of the store.', 'demo', ({ template }) => template.store.name),
    app_model_id: field(
      z.string(),
      'The key of the template in the store.',
      '90319995f169d1f071f58441de9f9a45',
      ({ template }) => template.templateId,
    ),
    app_model_name: field(
      z.string(),
      'The name of the template.',
      'Sock Shop',
      ({ template }) => template.name,
    ),
    current_version: field(
      z.string(),
      'The installed version. If the template is installed more than once, the lowest installed version.',
      '0.3.0',
      ({ template }) => template.currentVersion,
    ),
    enterprise_id: field(
      z.string(),
      'The id of the enterprise.',
      '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
      ({ team }) => team.enterpriseId,
    ),
    can_upgrade: field.each(
      z.boolean(),
      'Whether the template can be upgraded. False if the store does not respond.',
      false,
      async ({ template }, context) => (await offeredTo(context, template)).length > 0,
    ),
    upgrade_versions: field.each(
      z.array(z.string()),
      'The enabled versions newer than the installed one, in ascending order. Empty if the store does not respond.',
      [],
      ({ template }, context) => offeredTo(context, template),
    ),
    source: field(z.string(), 'The source of the template. Always `market`.', 'market', () => 'market'),
  },
);

const about = {
  tag: 'App store',
  params: applicationPath,
  errors: ['FORBIDDEN', 'CONFLICT', 'QUOTA_EXCEEDED', 'STORE_REFUSED', 'STORE_UNAVAILABLE'],
} as const;

async function reportOf(context: Context, path: Parameters<typeof applicationAt>[1]) {
  const { application, team } = await applicationAt(context, path);
  const templates = await installedTemplates(context, application.id);
  return reported.all(
    context,
    templates.map((template) => ({ team, template })),
  );
}

export const appStoreRoutes: Route[] = [
  route('post /teams/{team_id}/regions/{region_name}/apps/{app_id}/install', {
    ...about,
    operationId: 'installApplication',
    summary: 'Install an application from a store',
    description:
      'Installs a template from an app store into an application, in one transaction. Requires the `developer` role in the team.',
    query: { is_deploy: flag('Whether to deploy the components immediately:') },
    body: install,
    answer: installed,
    change: async (context, { path, query, body: wanted }) => {
      const { application, team, region } = await applicationAt(context, path);
      await operations.installApplication(context, {
        application: { appId: application.id },
        store: {
          url: wanted.market_url,
          domain: wanted.market_domain,
          type: wanted.market_type,
          accessKey: wanted.market_access_key,
        },
        templateId: wanted.app_model_id,
        version: wanted.app_model_version,
        deploy: query.is_deploy,
      });
      return { application, team, region };
    },
    run: async (context, _, { application, team, region }) => ({
      enterprise_id: team.enterpriseId,
      team_id: team.id,
      note: application.note ?? '',
      ID: application.id,
      region_name: region.name,
      service_list: await componentInfosOf(context, application),
    }),
  }),
  route('post /teams/{team_id}/regions/{region_name}/apps/{app_id}/upgrade', {
    ...about,
    operationId: 'upgradeApplication',
    summary: 'Upgrade application',
    description:
      'Upgrades installed templates, in one transaction, and returns the upgrade report after the upgrade. Values that users have changed are kept. Requires the `developer` role in the team.',
    body: upgrade,
    answer: z.array(reported.schema),
    inputs: { upgrades: ['update_versions'] },
    takesIfMatch: true,
    change: async (context, { path, body: wanted, ifMatch }) => {
      const { application } = await applicationAt(context, path);
      await upgradeApplication(context, {
        application: { appId: application.id },
        expectedRevision: expectedBy(ifMatch, 'Application'),
        upgrades: wanted.update_versions.map((each) => ({
          storeName: each.market_name,
          templateId: each.app_model_id,
          version: each.app_model_version,
        })),
      });
    },
    run: (context, { path }) => reportOf(context, path),
  }),
  route('get /teams/{team_id}/regions/{region_name}/apps/{app_id}/upgrade', {
    tag: about.tag,
    params: applicationPath,
    operationId: 'listApplicationUpgrades',
    summary: 'List the upgrades of an application',
    description:
      'Returns the templates that are installed in an application, with the versions that they can be upgraded to. If a store does not respond, only its own entries are affected. Requires the `viewer` role in the team.',
    answer: z.array(reported.schema),
    run: (context, { path }) => reportOf(context, path),
  }),
];
