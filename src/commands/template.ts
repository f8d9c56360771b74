// Makes an application out of an app-store template of prisma/templates, through the operations of the domain.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { createApplication } from '../application/operations.ts';
import { createComponent } from '../component/operations.ts';
import type { Context } from '../context.ts';
import { readByKeys } from '../db/read.ts';
import type { Row } from '../db/tables.ts';
import { ConflictError } from '../kernel/errors.ts';
import { portProtocol } from '../port/model.ts';
import { addPort, changePortAlias, switchPort } from '../port/operations.ts';

const variable = z.object({
  name: z.string(),
  attr_name: z.string(),
  attr_value: z.coerce.string(),
  is_change: z.boolean().default(true),
  container_port: z.int().optional(),
});

const app = z.object({
  service_key: z.string(),
  service_cname: z.string(),
  share_image: z.string().nullish(),
  image: z.string().nullish(),
  version: z.string().nullish(),
  cmd: z.string().nullish(),
  extend_method: z.enum(['stateless', 'state']).nullish(),
  memory: z.int().nullish(),
  cpu: z.int().nullish(),
  extend_method_map: z.object({ min_node: z.int().nullish() }).nullish(),
  port_map_list: z.array(
    z.object({
      container_port: z.int(),
      protocol: portProtocol,
      port_alias: z.string(),
      is_inner_service: z.boolean(),
      is_outer_service: z.boolean(),
      cluster_service_name: z.string().nullish(),
    }),
  ),
  service_env_map_list: z.array(variable),
  service_connect_info_map_list: z.array(variable),
  service_volume_map_list: z.array(
    z.object({
      volume_name: z.string(),
      volume_path: z.string(),
      volume_type: z.string(),
      file_content: z.string().nullish(),
      volume_capacity: z.int().nullish(),
      access_mode: z.string().nullish(),
      share_policy: z.string().nullish(),
    }),
  ),
  /** `<service_key>+<service_id>` */
  dep_service_map_list: z.array(z.object({ dep_service_key: z.string() })),
});
type App = z.infer<typeof app>;

const template = z.object({
  group_name: z.string(),
  group_version: z.string(),
  governance_mode: z.string().nullish(),
  apps: z.array(app),
});
export type Template = z.infer<typeof template>;

/** A template by its place below prisma/templates: `bookinfo/1.30.3`. */
export function readTemplate(place: string): Template {
  const file = new URL(`../../prisma/templates/${place}.json`, import.meta.url);
  return template.parse(JSON.parse(readFileSync(file, 'utf8')));
}

export interface Place {
  team: string;
  region: string;
  note?: string;
  principal?: string;
}

/**
 * Makes the application of a template, all of it deployed. What is there already, from a time that did not
 * come to its end, is kept and completed.
 */
export async function makeApplication(context: Context, template: Template, place: Place): Promise<void> {
  const application = await requireOrCreate(context, template, place);
  const existing = await readByKeys(context.db, 'Component', 'applicationId', [application.id]);
  const made = new Map<string, Row<'Component'>>();
  for (const each of inOrderOfDependency(template.apps)) {
    const component =
      existing.find(({ name }) => name === each.service_cname) ??
      (await makeComponent(context, application.id, each, made));
    made.set(each.service_key, component);
    await makePorts(context, component, each);
  }
}

async function requireOrCreate(context: Context, { group_name: name, ...template }: Template, place: Place) {
  const [[team], [region]] = await Promise.all([
    readByKeys(context.db, 'Team', 'name', [place.team]),
    readByKeys(context.db, 'Region', 'name', [place.region]),
  ]);
  const [application] = await readByKeys(context.db, 'Application', 'teamId', [team!.id], {
    where: [
      { field: 'regionId', is: region!.id },
      { field: 'name', is: name },
    ],
  });
  return (
    application ??
    createApplication(context, {
      team: { name: place.team },
      region: { name: place.region },
      name,
      note: place.note,
      principal: place.principal,
      governanceMode: template.governance_mode,
    })
  );
}

function makeComponent(
  context: Context,
  appId: number,
  each: App,
  made: ReadonlyMap<string, Row<'Component'>>,
): Promise<Row<'Component'>> {
  const image = each.share_image || each.image;
  if (!image) throw new Error(`The template's component ${each.service_cname} has no image.`);
  return firstFree(dnsLabelOf(each.service_cname), (alias) =>
    createComponent(context, {
      application: { appId },
      name: each.service_cname,
      alias,
      image,
      version: each.version || null,
      command: each.cmd || null,
      replicas: each.extend_method_map?.min_node,
      cpuMillicores: each.cpu,
      memoryMiB: each.memory,
      extendMethod: each.extend_method,
      isDeployed: true,
      variables: [
        ...each.service_env_map_list.map((env) => ({ ...variableOf(env), scope: 'environment' as const })),
        ...each.service_connect_info_map_list.map((env) => ({
          ...variableOf(env),
          scope: 'connection' as const,
        })),
      ],
      volumes: each.service_volume_map_list.map((volume) => ({
        name: volume.volume_name,
        path: volume.volume_path,
        type: volume.volume_type,
        fileContent: volume.file_content,
        capacityGiB: volume.volume_capacity,
        accessMode: volume.access_mode,
        sharePolicy: volume.share_policy,
      })),
      dependencies: keysOfDependencies(each).map((key) => ({ componentId: made.get(key)!.id })),
    }),
  );
}

const variableOf = (env: z.infer<typeof variable>) => ({
  name: env.attr_name,
  value: env.attr_value,
  label: env.name,
  isChangeable: env.is_change,
  portNumber: env.container_port,
});

async function makePorts(context: Context, component: Row<'Component'>, each: App): Promise<void> {
  const existing = await readByKeys(context.db, 'Port', 'componentId', [component.id]);
  for (const port of each.port_map_list) {
    const at = { component: { componentId: component.id }, number: port.container_port };
    if (!existing.some(({ number }) => number === at.number)) {
      const { protocol, port_alias: alias, is_inner_service: isInner } = port;
      await addPort(context, { ...at, protocol, alias, isInner });
    }
    if (port.is_outer_service) await switchPort(context, { at }, 'open_outer');
  }
  const named = each.port_map_list.find((port) => port.cluster_service_name);
  if (named?.cluster_service_name && named.cluster_service_name !== component.alias) {
    const at = { component: { componentId: component.id }, number: named.container_port };
    await firstFree(named.cluster_service_name, (serviceName) =>
      changePortAlias(context, { at }, named.port_alias, serviceName),
    );
  }
}

/** The first of `name`, `name-2`, `name-3`, … that nobody else has. */
async function firstFree<T>(name: string, use: (name: string) => Promise<T>): Promise<T> {
  for (let turn = 2; ; turn++) {
    try {
      return await use(turn === 2 ? name : `${name.slice(0, 60)}-${turn - 1}`);
    } catch (error) {
      if (!(error instanceof ConflictError) || turn > 20) throw error;
    }
  }
}

const dnsLabelOf = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 60) || 'component';

const keysOfDependencies = (each: App) =>
  each.dep_service_map_list.map(({ dep_service_key }) => dep_service_key.split('+')[0]!);

/** Each after those that it depends on. */
function inOrderOfDependency(apps: App[]): App[] {
  const byKey = new Map(apps.map((each) => [each.service_key, each]));
  const ordered = new Set<App>();
  const visit = (each: App, path: App[]): void => {
    if (ordered.has(each)) return;
    if (path.includes(each)) {
      const cycle = [...path.slice(path.indexOf(each)), each].map(({ service_cname }) => service_cname);
      throw new Error(`The template's components depend on each other in a circle: ${cycle.join(' → ')}`);
    }
    for (const key of keysOfDependencies(each)) {
      const dependency = byKey.get(key);
      if (!dependency)
        throw new Error(`${each.service_cname} depends on ${key}, which is not in the template.`);
      visit(dependency, [...path, each]);
    }
    ordered.add(each);
  };
  for (const each of apps) visit(each, []);
  return [...ordered];
}
