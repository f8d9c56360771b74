import type { TemplateRoute } from '../../../drivers/app-store/template.ts';
import { yieldToLoop } from '../../../kernel/event-loop.ts';
import { groupBy } from '../../../kernel/group.ts';
import { type Configuration, configurationDefaults, configured } from '../../gateway-rule/http/model.ts';
import { defaultDomainOf } from '../../plan/route-model.ts';
import { type ComponentWork, noRoutes, type RouteWork } from '../../plan/work.ts';
import { isHttp } from '../../port/model.ts';
import type { PlanReads } from './added.ts';

const joined = (pairs: readonly { key: string; value: string }[]) =>
  pairs.map(({ key, value }) => `${key}=${value}`).join(';');

function settingsOf(route: TemplateRoute): Configuration {
  const fields = Object.keys(configurationDefaults) as (keyof Configuration)[];
  return configured(
    Object.fromEntries(fields.map((field) => [field, route[field]])) as Parameters<typeof configured>[0],
  );
}

/**
 * The rules of the new HTTP ports of components: those of their routes or, without a route, default rules of open ports. A route
 * of a template is a default rule on the default domain of the port, with a path and settings of its own.
 */
export async function routesOf(
  { context, team, region }: PlanReads,
  works: readonly ComponentWork[],
  routes: readonly TemplateRoute[],
): Promise<RouteWork> {
  const byPort = groupBy(routes, ({ componentKey, port }) => `${port} ${componentKey}`);
  const result = noRoutes();
  for (const work of works) {
    const { row: component, ports, portsAfter } = work;
    for (const { number, isOuter } of ports.create.filter(({ protocol }) => isHttp(protocol))) {
      const portRoutes = byPort.get(`${number} ${component.key}`) ?? [];
      const domain = defaultDomainOf({ team, region, component, port: number });
      for (const route of portRoutes.length > 0 || !isOuter ? portRoutes : [plainRoute]) {
        const data = {
          ...{ domain, path: route.path, isDefault: true, isPublished: isOuter },
          ...{ cookie: joined(route.cookies), header: joined(route.headers) },
          ...{ pathRewrite: route.pathRewrite, rewrites: JSON.stringify(route.rewrites) },
          ...{ weight: route.weight, extensions: JSON.stringify(route.extensions) },
          configuration: JSON.stringify(settingsOf(route)),
        };
        result.http.create.push({ work, port: portsAfter.get(number)!, data });
      }
    }
    await yieldToLoop(context.signal);
  }
  return result;
}

/** The route of a port without one in the template. */
const plainRoute = {
  path: '/',
  cookies: [],
  headers: [],
  pathRewrite: false,
  rewrites: [],
  weight: 100,
  extensions: [],
} as unknown as TemplateRoute;
