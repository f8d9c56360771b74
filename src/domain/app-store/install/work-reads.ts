import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import type { Reading } from '../../../db/write/reading.ts';
import type { TemplateComponent, TemplateRoute } from '../../../drivers/app-store/template.ts';
import { uncutLength } from '../../../drivers/region/object-names.ts';
import { mapInSlices, yieldToLoop } from '../../../kernel/event-loop.ts';
import { groupBy } from '../../../kernel/group.ts';
import { fold } from '../../../kernel/validate.ts';
import { freeName } from '../../component/names/model.ts';
import { namesInUse } from '../../component/names/reads.ts';
import { newComponentId } from '../../component/operations.ts';
import { type Configuration, configurationDefaults, configured } from '../../gateway-rule/http/model.ts';
import { defaultDomainOf } from '../../plan/route-model.ts';
import { aliasesFor } from '../../plan/scene.ts';
import { addPort, type ComponentWork, noRoutes, type RouteWork, workOn } from '../../plan/work.ts';
import { isHttp } from '../../port/model.ts';
import { additionalNameOf, nameAdditional, wantedServiceName } from '../inner-name-reads.ts';
import { columnsOf } from '../merge/component.ts';
import type { BaseTemplate } from '../merge/merge.ts';
import { variablesOf } from '../merge/variables.ts';

/** The reader of a plan: the transaction that carries it out or, for a dry run, none. */
export interface PlanReads extends Reading<Context> {
  team: Row<'Team'>;
  region: Row<'Region'>;
}

/** The new components of a template. */
export interface NewComponents {
  works: ComponentWork[];
  /** The additional names of ports, by component key. */
  additionalNames: NonNullable<BaseTemplate['additionalNames']>;
}

/** The names of the other components in the team and region. */
export interface OtherNames {
  /** Whether a component keeps its service names. */
  keeps?: (owner: Row<'Component'>) => boolean;
  /** The service names that those which do not keep theirs are about to have. */
  reserved?: Iterable<string>;
}

/**
 * The work that creates components of a template. Their dependencies can be each other and the components in `ids`, to which the
 * new ones are added. The region is locked, so that free names stay free.
 */
export async function newComponentsOf(
  reads: PlanReads,
  { id: groupId }: Pick<Row<'ComponentGroup'>, 'id'>,
  components: readonly TemplateComponent[],
  ids: Map<string, string> = new Map(),
  { keeps, reserved = [] }: OtherNames = {},
): Promise<NewComponents> {
  const { context, team, region } = reads;
  const { signal } = context;
  const names = await namesInUse(reads, reads, keeps);
  const taken = names.takenBy(null);
  const nextAlias = aliasesFor(context, names.aliases);
  for (const name of reserved) taken.serviceNames.add(name);
  const now = new Date();
  const newWork = (component: TemplateComponent) => {
    const alias = nextAlias();
    const wanted = wantedServiceName(component) ?? alias;
    const columns = columnsOf(component);
    const id = context.newComponentId?.(alias) ?? newComponentId();
    ids.set(component.key, id);
    const row = {
      ...{ id, teamId: team.id, regionId: region.id, groupId, creatorId: context.actor.userId },
      ...{ key: component.key, alias, ...columns },
      needsRoot: columns.needsRoot && region.allowsRoot,
      clusterName: freeName(component.clusterName ?? alias, taken.clusterNames, uncutLength),
      serviceName: component.ports.length > 0 ? freeName(wanted, taken.serviceNames, 63) : null,
      sourceKind: 'market',
      ...{ createdAt: now, updatedAt: now, folded: fold(columns.name, alias) },
    };
    return { component, work: workOn(row.name, row as Row<'Component'>, null) };
  };
  const made = await mapInSlices(components, newWork, signal);
  const added: NewComponents = { works: [], additionalNames: {} };
  // Component names take precedence over additional names of ports.
  for (const { component, work } of made) {
    const additional = nameAdditional(component, taken.serviceNames);
    added.additionalNames[component.key] = additional;
    added.works.push(work);
    const { id: componentId, serviceName } = work.row;
    work.variables.create = variablesOf(component, serviceName, additional).map((variable) => ({
      componentId,
      ...variable,
    }));
    work.volumes.create = component.volumes.map((volume) => ({ componentId, ...volume }));
    // A user may have deleted a component of the template.
    work.dependencies.add = component.dependencies.flatMap((key) => {
      const dependencyId = ids.get(key);
      return dependencyId === undefined ? [] : { componentId, dependencyId };
    });
    for (const { number, protocol, alias, isInner, isOuter, ...port } of component.ports) {
      const additionalName = additional[additionalNameOf(component, port) ?? ''] ?? null;
      addPort(work, { number, protocol, alias, isInner, isOuter, additionalName });
    }
    await yieldToLoop(signal);
  }
  return added;
}

const joined = (pairs: readonly { key: string; value: string }[]) =>
  pairs.map(({ key, value }) => `${key}=${value}`).join(';');

/** The proxy settings of a route, without its other fields. */
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
  const made = noRoutes();
  for (const work of works) {
    const { row: component, ports, portsAfter } = work;
    for (const { number, isOuter } of ports.create.filter(({ protocol }) => isHttp(protocol))) {
      const own = byPort.get(`${number} ${component.key}`) ?? [];
      const domain = defaultDomainOf({ team, region, component, port: number });
      for (const route of own.length > 0 || !isOuter ? own : [plainRoute]) {
        const data = {
          ...{ domain, path: route.path, isDefault: true, isPublished: isOuter },
          ...{ cookie: joined(route.cookies), header: joined(route.headers) },
          ...{ pathRewrite: route.pathRewrite, rewrites: JSON.stringify(route.rewrites) },
          ...{ weight: route.weight, extensions: JSON.stringify(route.extensions) },
          configuration: JSON.stringify(settingsOf(route)),
        };
        made.http.create.push({ work, port: portsAfter.get(number)!, data });
      }
    }
    await yieldToLoop(context.signal);
  }
  return made;
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
