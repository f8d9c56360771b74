import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { allOf, named } from '../../rest/parameters.ts';
import { type Route, route } from '../../rest/route.ts';
import { applicationAt, applicationPath } from '../application/rest.ts';
import { componentsOf } from './list-reads.ts';
import { requireComponentOf } from './reads.ts';
import { componentStateById } from './status-reads.ts';
import { componentInfo } from './view-rest.ts';

export const componentPath = {
  ...applicationPath,
  service_id: named('The id or alias of the component. An id takes precedence.', 'gr07c0ff'),
};

/** The component in a path. NOT_FOUND if it is not in the application of the path. */
export async function componentAt(
  context: Context,
  path: { team_id: string; region_name: string; app_id: number; service_id: string },
): Promise<Row<'Component'>> {
  const { application } = await applicationAt(context, path);
  return requireComponentOf(context, application, path.service_id);
}

const everything = {};

/** The REST representation of an application's components, sorted by name. */
export async function componentInfosOf(context: Context, applicationId: number) {
  const rows = await allOf(context, componentsOf(applicationId, everything));
  for (const row of rows) componentStateById.prime(context, row.id, row);
  return componentInfo.all(context, rows);
}

export const componentRoutes: Route[] = [
  route('get /teams/{team_id}/regions/{region_name}/apps/{app_id}/services', {
    operationId: 'listComponents',
    tag: 'Components',
    summary: 'List components of an application',
    description: 'Returns all components of the application, sorted by name.',
    params: applicationPath,
    answer: z.array(componentInfo.schema),
    run: async (context, { path }) => {
      const { application } = await applicationAt(context, path);
      return componentInfosOf(context, application.id);
    },
  }),
];
