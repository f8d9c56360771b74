import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { onlyStored } from '../../kernel/validate.ts';
import { allOf, numeric, searched } from '../../rest/parameters.ts';
import { type Route, route } from '../../rest/route.ts';
import { fieldsOf, view } from '../../rest/view.ts';
import { readTeamRegionAhead } from '../region/reads.ts';
import { regionAt, regionNamesOf, regionPath } from '../region/rest.ts';
import { applicationsOf } from './list-reads.ts';
import { loadWithAbove, namedApplication } from './reads.ts';

export const applicationPath = {
  ...regionPath,
  app_id: numeric(z.int32().min(1), 'The numeric id of the application.', 1),
};

/** The application in a path. NOT_FOUND if it is not in the team and region of the path. */
export async function applicationAt(
  context: Context,
  path: { team_id: string; region_name: string; app_id: number },
) {
  readTeamRegionAhead(context, path.team_id);
  // Finds what is above the application as well, which is what the path names, unless something in it is wrong.
  await loadWithAbove(context, path.app_id);
  const { team, region } = await regionAt(context, path);
  const application = await namedApplication(context, { appId: path.app_id });
  if (application.teamId !== team.id || application.regionId !== region.id) {
    throw new NotFoundError('application');
  }
  return { application, team, region };
}

const field = fieldsOf<Row<'Application'>>();
const text = (
  description: string,
  example: string | null,
  read: (row: Row<'Application'>) => string | null,
) => field(z.string().nullable(), description, example, read);
const time = (description: string, read: (row: Row<'Application'>) => Date) =>
  field(z.iso.datetime(), description, '2026-01-31T12:00:00.000Z', (row) => read(row).toISOString());

const applicationInfo = view('AppBaseInfo', 'An application, also called a group.', {
  ID: field(z.int(), 'The numeric id of the application.', 1, (row) => row.id),
  tenant_id: field(
    z.string(),
    'The id of the team.',
    '6b1f0a3c5d7e49f08a2b4c6d8e0f1a2b',
    (row) => row.teamId,
  ),
  group_name: field(z.string(), 'The name of the application.', 'Online Boutique', (row) => row.name),
  region_name: field.all(z.string(), 'The name of the region.', 'eu-central', regionNamesOf),
  is_default: field(
    z.boolean(),
    'Whether this is the default application of the team in the region.',
    false,
    (row) => row.isDefault,
  ),
  order_index: field(z.int(), 'The position in lists, lowest first.', 0, (row) => row.orderIndex),
  note: text('A note about the application.', 'The web shop.', (row) => row.note),
  username: text('The name of the person in charge.', 'Amara Okafor', (row) => row.principal),
  governance_mode: text(
    `The service governance mode. ${onlyStored}`,
    'KUBERNETES_NATIVE_SERVICE',
    (row) => row.governanceMode,
  ),
  create_time: time('The creation time, in UTC.', (row) => row.createdAt),
  update_time: time('The time of the last change, in UTC.', (row) => row.updatedAt),
  app_type: field(
    z.string(),
    'The type of the application. Always `platform`, because only templates can be installed.',
    'platform',
    (row) => row.appType,
  ),
  app_store_name: text(
    'The name of the store that the application was installed from.',
    'demo',
    (row) => row.storeName,
  ),
  app_store_url: text('The URL of that store.', 'http://127.0.0.1:4000', (row) => row.storeUrl),
  app_template_name: text(
    'The name of the template that the application was installed from.',
    'Online Boutique',
    (row) => row.templateName,
  ),
  version: text('The version of a package-managed application.', 'v0.10.3', (row) => row.version),
  logo: text('The URL of the logo.', null, (row) => row.logo),
  cluster_app: field(z.string(), 'The name in the cluster.', 'app-1', (row) => row.clusterName),
});

export const applicationRoutes: Route[] = [
  route('get /teams/{team_id}/regions/{region_name}/apps', {
    operationId: 'listApplications',
    tag: 'Applications',
    summary: 'List applications of a team',
    description: 'Returns all applications of the team in the region, sorted by `order_index`, then name.',
    params: regionPath,
    query: { query: searched('the application name or the team name', 'boutique') },
    answer: z.array(applicationInfo.schema),
    run: async (context, { path, query }) => {
      const { team, region } = await regionAt(context, path);
      const list = applicationsOf(context, team.id, { search: query.query, regionId: region.id });
      return applicationInfo.all(context, await allOf(context, list));
    },
  }),
];
