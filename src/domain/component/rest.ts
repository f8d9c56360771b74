import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { readAhead } from '../../kernel/batch.ts';
import { allOf, named } from '../../rest/parameters.ts';
import { type Route, route } from '../../rest/route.ts';
import { applicationAt, applicationPath } from '../application/rest.ts';
import { inVisibleApplications } from '../team/visible-reads.ts';
import { componentsOf } from './list-reads.ts';
import { requireComponentOf } from './reads.ts';
import { componentColumns, componentInfo } from './view-rest.ts';

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

const unfiltered = {};

/** The components of an application of a team, sorted by name, with the columns that `componentInfo` shows. */
const shownComponents = (context: Context, key: number, teamId: string) =>
  allOf(context, {
    key,
    spec: {
      ...componentsOf(context, key, unfiltered).spec,
      fields: componentColumns,
      where: [{ field: 'teamId', is: teamId }, ...inVisibleApplications(context.actor)],
    },
  });

/** The REST representation of an application's components, sorted by name. */
export const componentInfosOf = async (context: Context, { id, teamId }: Row<'Application'>) =>
  componentInfo.all(context, await shownComponents(context, id, teamId));

export const componentRoutes: Route[] = [
  route('get /teams/{team_id}/regions/{region_name}/apps/{app_id}/services', {
    operationId: 'listComponents',
    tag: 'Components',
    summary: 'List components of an application',
    description: 'Returns all components of the application, sorted by name.',
    params: applicationPath,
    answer: z.array(componentInfo.schema),
    run: async (context, { path }) => {
      const { isPartial, teams } = context.actor;
      // Members of the whole team need not wait until the rest of the path is checked.
      const ahead =
        !isPartial && teams.has(path.team_id)
          ? shownComponents(context, path.app_id, path.team_id)
          : undefined;
      if (ahead) readAhead(ahead);
      const { application } = await applicationAt(context, path);
      return ahead ? componentInfo.all(context, await ahead) : componentInfosOf(context, application);
    },
  }),
];
