import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { ApiError } from '../../kernel/errors.ts';
import { flag } from '../../rest/parameters.ts';
import { type Route, route } from '../../rest/route.ts';
import { answer, body, described, fieldsOf, view } from '../../rest/view.ts';
import { applicationAt, applicationPath } from '../application/rest.ts';
import { componentInfosOf } from '../component/rest.ts';
import { componentInfo } from '../component/view-rest.ts';
import { installApplication, maxUpgrades, store, storeType, templateUpgrade } from './model.ts';
import * as operations from './operations.ts';
import { type InstalledTemplate, installedTemplates, upgradeVersionsOf } from './reads.ts';

const install = body(
  'Install',
  'What to install, and from where.',
  z.strictObject({
    market_url: described(store.shape.url, 'Address of the store, http or https.', 'http://127.0.0.1:4000'),
    market_domain: described(store.shape.domain, 'Which domain of the store; it may be empty.', 'demo'),
    market_type: described(storeType, 'Kind of the store.', 'standard'),
    market_access_key: described(
      store.shape.accessKey,
      'What the store knows the caller by. Kept encrypted, never shown again.',
      '<API_KEY>',
    ),
    app_model_id: described(
      installApplication.shape.templateId,
      'The template.',
      '90319995f169d1f071f58441de9f9a45',
    ),
    app_model_version: described(installApplication.shape.version, 'Which version of it.', '0.0.12'),
  }),
);

const upgrade = body(
  'Upgrade',
  'Which templates go to which version: all of them, or none.',
  z.strictObject({
    update_versions: described(
      z
        .array(
          z.strictObject({
            market_name: described(
              templateUpgrade.shape.storeName,
              'The store, as the report names it.',
              'demo',
            ),
            app_model_id: described(
              templateUpgrade.shape.templateId,
              'A template that is installed in the application.',
              '90319995f169d1f071f58441de9f9a45',
            ),
            app_model_version: described(
              templateUpgrade.shape.version,
              'One of its `upgrade_versions`.',
              '0.3.0',
            ),
          }),
        )
        .min(1)
        .max(maxUpgrades),
      `The upgrades, at most ${maxUpgrades}.`,
    ),
  }),
);

const installed = answer(
  'MarketInstall',
  'An application, with all its components after the install.',
  z.object({
    enterprise_id: described(z.string(), 'Id of the enterprise.', '0f1e2d3c4b5a69788796a5b4c3d2e1f0'),
    team_id: described(z.string(), 'Id of the team.', '6b1f0a3c5d7e49f08a2b4c6d8e0f1a2b'),
    note: described(z.string(), 'Remark of the application; empty for none.', ''),
    ID: described(z.int(), 'Number of the application.', 5),
    region_name: described(z.string(), 'Name of the region.', 'us-east'),
    service_list: described(z.array(componentInfo.schema), 'Its components, by name.'),
  }),
);

interface Reported {
  team: Row<'Team'>;
  template: InstalledTemplate;
}

/** A store that does not answer offers nothing. */
async function offeredTo(context: Context, template: InstalledTemplate): Promise<string[]> {
  try {
    return await upgradeVersionsOf(context, template);
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}

const field = fieldsOf<Reported>();

const reported = view('ListUpgrade', 'A template that is installed in an application, and where it can go.', {
  market_name: field(z.string(), 'Name of the store.', 'demo', ({ template }) => template.store.name),
  app_model_id: field(
    z.string(),
    'The template.',
    '90319995f169d1f071f58441de9f9a45',
    ({ template }) => template.templateId,
  ),
  app_model_name: field(z.string(), 'Name of the template.', 'Sock Shop', ({ template }) => template.name),
  current_version: field(
    z.string(),
    'The installed version; the lowest, where it is installed twice.',
    '0.3.0',
    ({ template }) => template.currentVersion,
  ),
  enterprise_id: field(
    z.string(),
    'Id of the enterprise.',
    '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
    ({ team }) => team.enterpriseId,
  ),
  can_upgrade: field(
    z.boolean(),
    'Whether there is a version to go to; false when the store does not answer.',
    false,
    async ({ template }, context) => (await offeredTo(context, template)).length > 0,
  ),
  upgrade_versions: field(
    z.array(z.string()),
    'Enabled versions above the installed one, ascending; none when the store does not answer.',
    [],
    ({ template }, context) => offeredTo(context, template),
  ),
  source: field(z.string(), 'Where it came from.', 'market', () => 'market'),
});

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
      'Installs a template of an app store into an application: all of it or nothing. Takes the role developer in the team.',
    query: { is_deploy: flag('Whether the components are deployed at once:') },
    body: install,
    answer: installed,
    run: async (context, { path, query, body: wanted }) => {
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
        isDeployed: query.is_deploy,
      });
      return {
        enterprise_id: team.enterpriseId,
        team_id: team.id,
        note: application.note ?? '',
        ID: application.id,
        region_name: region.name,
        service_list: await componentInfosOf(context, application.id),
      };
    },
  }),
  route('post /teams/{team_id}/regions/{region_name}/apps/{app_id}/upgrade', {
    ...about,
    operationId: 'upgradeApplication',
    summary: 'Upgrade application',
    description:
      'Upgrades installed templates, all that are named or none, and answers what is installed after it. Takes the role developer in the team.',
    body: upgrade,
    answer: z.array(reported.schema),
    inputs: { upgrades: ['update_versions'] },
    run: async (context, { path, body: wanted }) => {
      const { application } = await applicationAt(context, path);
      await operations.upgradeApplication(context, {
        application: { appId: application.id },
        upgrades: wanted.update_versions.map((each) => ({
          storeName: each.market_name,
          templateId: each.app_model_id,
          version: each.app_model_version,
        })),
      });
      return reportOf(context, path);
    },
  }),
  route('get /teams/{team_id}/regions/{region_name}/apps/{app_id}/upgrade', {
    tag: about.tag,
    params: applicationPath,
    operationId: 'listApplicationUpgrades',
    summary: 'List the upgrades of an application',
    description:
      'The templates that are installed in an application, and the versions to which each can be upgraded. Changes nothing. Requires the `viewer` role in the team. A store that does not answer costs its own entries only.',
    answer: z.array(reported.schema),
    run: (context, { path }) => reportOf(context, path),
  }),
];
