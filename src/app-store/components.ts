import { newAlias, newComponentId } from '../component/operations.ts';
import type { Row } from '../db/tables.ts';
import type { TemplateComponent, TemplateRoute } from '../drivers/app-template.ts';
import { configured } from '../gateway-rule/model.ts';
import {
  claimDomain,
  defaultDomain,
  newRuleKey,
  publishRules,
  type RuleScene,
} from '../gateway-rule/rows.ts';
import { fold } from '../kernel/validate.ts';
import { isHttp } from '../port/model.ts';
import { columnsOf, variablesOf, wantedServiceName } from './merge.ts';

/** Where components are made: a transaction that holds the region, so that free names stay free. */
export interface GroupScene extends Pick<RuleScene, 'context' | 'tx' | 'record' | 'team' | 'region'> {
  application: Row<'Application'>;
  group: Row<'ComponentGroup'>;
}

/** The name, or with the first number behind it under which it is free. */
export function freeName(wanted: string, taken: Set<string>, max: number): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number++) {
    const suffix = `-${number}`;
    name = `${wanted.slice(0, max - suffix.length).replace(/-+$/, '')}${suffix}`;
  }
  taken.add(name);
  return name;
}

/** What is taken in the team and region already. */
async function takenNames({ tx, team, region }: GroupScene) {
  const rows = await tx.component.findMany({
    where: { teamId: team.id, regionId: region.id },
    select: { alias: true, serviceName: true, clusterName: true },
  });
  return {
    aliases: new Set(rows.map(({ alias }) => alias)),
    serviceNames: new Set(rows.flatMap(({ serviceName }) => serviceName ?? [])),
    clusterNames: new Set(rows.map(({ clusterName }) => clusterName)),
  };
}

function freeAlias(taken: Set<string>): string {
  for (;;) {
    const alias = newAlias();
    if (taken.has(alias)) continue;
    taken.add(alias);
    return alias;
  }
}

/**
 * Makes components of a template, with everything that they bring: few large statements, whatever their
 * number. Dependencies may lead to each other, and to the components in `ids`, which gets the new ones.
 */
export async function createComponents(
  scene: GroupScene,
  components: readonly TemplateComponent[],
  routes: readonly TemplateRoute[],
  ids: Map<string, string>,
  isDeployed: boolean,
): Promise<Row<'Component'>[]> {
  const { context, tx, team, region, application, group } = scene;
  const taken = await takenNames(scene);
  const now = new Date();
  const rows = components.map((component) => {
    const alias = freeAlias(taken.aliases);
    const wanted = wantedServiceName(component) ?? alias;
    const columns = columnsOf(component);
    const id = newComponentId();
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
        clusterName: freeName(component.clusterName ?? alias, taken.clusterNames, 63),
        serviceName: component.ports.length > 0 ? freeName(wanted, taken.serviceNames, 63) : null,
        deployState: isDeployed ? 'running' : 'undeploy',
        sourceKind: 'market',
        createdAt: now,
        updatedAt: now,
        folded: fold(columns.name, alias),
      },
    };
  });
  await tx.component.createMany({ data: rows.map(({ data }) => data) });
  await tx.port.createMany({
    data: rows.flatMap(({ component, data }) =>
      component.ports.map(({ number, protocol, alias, isInner, isOuter }) => ({
        componentId: data.id,
        number,
        protocol,
        alias,
        isInner,
        isOuter,
        createdAt: now,
      })),
    ),
  });
  await tx.environmentVariable.createMany({
    data: rows.flatMap(({ component, data }) =>
      variablesOf(component, data.serviceName).map((variable) => ({ componentId: data.id, ...variable })),
    ),
  });
  await tx.volume.createMany({
    data: rows.flatMap(({ component, data }) =>
      component.volumes.map((volume) => ({ componentId: data.id, ...volume })),
    ),
  });
  await tx.componentDependency.createMany({
    data: rows.flatMap(({ component, data }) =>
      component.dependencies.map((key) => ({ componentId: data.id, dependencyId: ids.get(key)! })),
    ),
  });
  const created = await tx.component.findMany({ where: { id: { in: rows.map(({ data }) => data.id) } } });
  await createRules(scene, components, routes, new Map(created.map((row) => [row.key, row])));
  return created;
}

/** Rules for ports that the template opens to the outside, and for its routes. */
async function createRules(
  scene: GroupScene,
  components: readonly TemplateComponent[],
  routes: readonly TemplateRoute[],
  created: ReadonlyMap<string, Row<'Component'>>,
): Promise<void> {
  for (const { key, ports } of components) {
    const component = created.get(key)!;
    for (const { number, isOuter } of ports) {
      const own = routes.filter((route) => route.componentKey === key && route.port === number);
      if (!isOuter && own.length === 0) continue;
      const port = await scene.tx.port.findUniqueOrThrow({
        where: { componentId_number: { componentId: component.id, number } },
      });
      const rules = { ...scene, port, component };
      if (isHttp(port.protocol)) for (const route of own) await createRoute(rules, route);
      if (isOuter) await publishRules(rules);
    }
  }
}

const joined = (pairs: readonly { key: string; value: string }[]) =>
  pairs.map(({ key, value }) => `${key}=${value}`).join(';');

/** A route of a template is a default rule with its own path and parameters, on the port's default domain. */
export async function createRoute(scene: RuleScene, route: TemplateRoute): Promise<void> {
  const { tx, record, team, port, component, region } = scene;
  const domain = defaultDomain(scene);
  await claimDomain(scene, domain);
  const rule = await tx.httpRule.create({
    data: {
      key: newRuleKey(),
      regionId: region.id,
      applicationId: component.applicationId,
      componentId: component.id,
      portId: port.id,
      domain,
      path: route.path,
      cookie: joined(route.cookies),
      header: joined(route.headers),
      isDefault: true,
      isPublished: port.isOuter,
      pathRewrite: route.pathRewrite,
      rewrites: JSON.stringify(route.rewrites),
      configuration: JSON.stringify(configured(route)),
      createdAt: new Date(),
    },
  });
  await record({
    action: 'http_rule.create',
    subject: { type: 'HttpRule', id: rule.id },
    teamId: team.id,
    after: rule,
  });
}
