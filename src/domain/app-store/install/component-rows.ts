import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import type { Write } from '../../../db/write/change.ts';
import type { TemplateComponent, TemplateRoute } from '../../../drivers/app-store/template.ts';
import { uncutLength } from '../../../drivers/region/object-names.ts';
import { ConflictError } from '../../../kernel/errors.ts';
import { mapInSlices, yieldToLoop } from '../../../kernel/event-loop.ts';
import { groupBy } from '../../../kernel/group.ts';
import { fold } from '../../../kernel/validate.ts';
import { insertDependencies } from '../../component/dependencies/many-rows.ts';
import { initialDeployState } from '../../component/model.ts';
import { freeName, repeatedVolume } from '../../component/names/model.ts';
import { namesInUse, requireFreeClaims } from '../../component/names/reads.ts';
import { newAlias, newComponentId } from '../../component/operations.ts';
import { insertComponents } from '../../component/rows.ts';
import { requireConfigurationFits } from '../../component/size/rows.ts';
import { insertVariables } from '../../component/variables/many-rows.ts';
import { insertVolumes } from '../../component/volumes/many-rows.ts';
import { defaultDomain, ruleOf } from '../../gateway-rule/address-reads.ts';
import { type Configuration, configurationDefaults, configured } from '../../gateway-rule/http/model.ts';
import { defaultTcpRules, insertRules, type PortAt } from '../../gateway-rule/many-rows.ts';
import type { PortWrite } from '../../port/hooks.ts';
import { isHttp } from '../../port/model.ts';
import { insertPorts } from '../../port/rows.ts';
import { additionalNameOf, nameAdditional, wantedServiceName } from '../inner-name-reads.ts';
import { columnsOf } from '../merge/component.ts';
import type { BaseTemplate } from '../merge/merge.ts';
import { variablesOf } from '../merge/variables.ts';

/** The context for creating components: a transaction that has locked the region, so that free names stay free. */
export interface GroupWrite extends Write<Context> {
  team: Row<'Team'>;
  region: Row<'Region'>;
  application: Row<'Application'>;
  group: Row<'ComponentGroup'>;
}

function freeAlias({ newAlias: make = newAlias }: Context, taken: Set<string>): string {
  for (;;) {
    const alias = make();
    if (taken.has(alias)) continue;
    taken.add(alias);
    return alias;
  }
}

/** CONFLICT if volumes of a component have the same name in a cluster. */
function requireDistinctVolumes({ name, volumes }: TemplateComponent): void {
  const same = repeatedVolume(volumes);
  if (!same) return;
  throw new ConflictError(
    `The volume ${same.volume.name} of the component ${name} has the same name in the cluster as ${same.other}.`,
  );
}

/**
 * Creates components of a template with their ports, variables, volumes and dependencies, in few large statements.
 * Dependencies can refer to each other and to the components in `ids`, to which the new ones are added. `reserved` are
 * internal domain names that are about to be used.
 */
export async function createComponents(
  write: GroupWrite,
  components: readonly TemplateComponent[],
  routes: readonly TemplateRoute[],
  ids: Map<string, string>,
  isDeployed: boolean,
  reserved: Iterable<string> = [],
): Promise<CreatedComponents> {
  const { context, team, region, application, group } = write;
  const names = await namesInUse(write, write);
  const taken = { aliases: new Set(names.aliases.keys()), ...names.takenBy(null) };
  for (const name of reserved) taken.serviceNames.add(name);
  const now = new Date();
  const newRow = (component: TemplateComponent) => {
    const alias = freeAlias(context, taken.aliases);
    const wanted = wantedServiceName(component) ?? alias;
    const columns = columnsOf(component);
    const id = context.newComponentId?.(alias) ?? newComponentId();
    ids.set(component.key, id);
    return {
      component,
      data: {
        id,
        applicationId: application.id,
        teamId: team.id,
        regionId: region.id,
        groupId: group.id,
        creatorId: context.actor.userId,
        key: component.key,
        alias,
        ...columns,
        needsRoot: columns.needsRoot && region.allowsRoot,
        clusterName: freeName(component.clusterName ?? alias, taken.clusterNames, uncutLength),
        serviceName: component.ports.length > 0 ? freeName(wanted, taken.serviceNames, 63) : null,
        deployState: initialDeployState(isDeployed),
        generation: isDeployed ? 1 : 0,
        updateVersion: isDeployed ? 1 : 0,
        sourceKind: 'market',
        createdAt: now,
        updatedAt: now,
        folded: fold(columns.name, alias),
      },
    };
  };
  const { signal } = context;
  const rows = await mapInSlices(components, newRow, signal);
  // Component names take precedence over additional names of ports.
  const additionalNames = Object.fromEntries(
    await mapInSlices(
      components,
      (component) => [component.key, nameAdditional(component, taken.serviceNames)] as const,
      signal,
    ),
  );
  for (const { component } of rows) requireDistinctVolumes(component);
  await requireFreeClaims(
    write,
    write,
    rows.map(({ component, data }) => ({ component: data, volumes: component.volumes })),
  );
  const created = await insertComponents(
    write,
    rows.map(({ data }) => data),
  );
  const ports = await insertPorts(
    write,
    created,
    rows.flatMap(({ component, data }) =>
      component.ports.map((port) => ({
        componentId: data.id,
        number: port.number,
        protocol: port.protocol,
        alias: port.alias,
        isInner: port.isInner,
        isOuter: port.isOuter,
        additionalName: additionalNames[component.key]![additionalNameOf(component, port) ?? ''] ?? null,
        createdAt: now,
      })),
    ),
  );
  const variables = [];
  for (const { component, data } of rows) {
    const own = variablesOf(component, data.serviceName, additionalNames[component.key]);
    variables.push(...own.map((variable) => ({ componentId: data.id, ...variable })));
    await yieldToLoop(context.signal);
  }
  await insertVariables(write, variables);
  await insertVolumes(
    write,
    rows.flatMap(({ component, data }) =>
      component.volumes.map((volume) => ({ componentId: data.id, ...volume })),
    ),
  );
  await requireConfigurationFits(write, created);
  await insertDependencies(
    write,
    rows.flatMap(({ component, data }) =>
      // A user may have deleted a component of the template.
      component.dependencies
        .filter((key) => ids.has(key))
        .map((key) => ({ componentId: data.id, dependencyId: ids.get(key)! })),
    ),
  );
  await insertPortRules(write, routes, ports);
  return { created, additionalNames };
}

export interface CreatedComponents {
  created: Row<'Component'>[];
  /** The additional names of ports, by component key. */
  additionalNames: NonNullable<BaseTemplate['additionalNames']>;
}

const joined = (pairs: readonly { key: string; value: string }[]) =>
  pairs.map(({ key, value }) => `${key}=${value}`).join(';');

type At = Pick<PortWrite, 'team' | 'region' | 'port' | 'component'>;

/** The proxy settings of a route, without its other fields. */
function settingsOf(route: TemplateRoute): Configuration {
  const fields = Object.keys(configurationDefaults) as (keyof Configuration)[];
  return configured(
    Object.fromEntries(fields.map((field) => [field, route[field]])) as Parameters<typeof configured>[0],
  );
}

/** Converts a route of a template to a default rule on the port's default domain, with its own path and settings. */
const routeRule = (at: At, route: TemplateRoute) => ({
  ...ruleOf(at),
  domain: defaultDomain(at),
  path: route.path,
  cookie: joined(route.cookies),
  header: joined(route.headers),
  isDefault: true,
  isPublished: at.port.isOuter,
  pathRewrite: route.pathRewrite,
  rewrites: JSON.stringify(route.rewrites),
  weight: route.weight,
  extensions: JSON.stringify(route.extensions),
  configuration: JSON.stringify(settingsOf(route)),
});

/** Creates rules for ports without rules: those of their routes or, without a route, default rules of open ports. */
export async function insertPortRules(
  write: Omit<GroupWrite, 'group'>,
  routes: readonly TemplateRoute[],
  ports: readonly { port: Row<'Port'>; component: Row<'Component'> }[],
): Promise<void> {
  const byPort = groupBy(routes, ({ componentKey, port }) => `${port} ${componentKey}`);
  const http: ReturnType<typeof routeRule>[] = [];
  const tcp: PortAt[] = [];
  for (const at of ports) {
    const { port, component } = at;
    if (!isHttp(port.protocol)) {
      if (port.isOuter) tcp.push(at);
      continue;
    }
    const own = byPort.get(`${port.number} ${component.key}`) ?? [];
    const rules = own.length > 0 || !port.isOuter ? own : [plainRoute];
    http.push(...rules.map((route) => routeRule({ ...write, ...at }, route)));
    await yieldToLoop(write.context.signal);
  }
  await insertRules(write, http, await defaultTcpRules(write, tcp));
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
