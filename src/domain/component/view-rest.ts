import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Part } from '../../db/tables.ts';
import { foundFor } from '../../kernel/batch.ts';
import { onlyStored } from '../../kernel/validate.ts';
import { fieldsOf, view } from '../../rest/view.ts';
import { regionNamesOf } from '../region/rest.ts';
import { visibleUserById } from '../user/reads.ts';
import { autoscalingColumns } from './autoscaling/model.ts';
import { replicasNow } from './autoscaling/reads.ts';
import { isUpgradable } from './reads.ts';
import { componentStatus } from './state-model.ts';
import { statusesOf } from './status-reads.ts';

/** The columns that the view shows. */
export const componentColumns = [
  ...(['id', 'teamId', 'regionId', 'groupId', 'creatorId', 'key', 'alias', 'name', 'clusterName'] as const),
  ...(['deployState', 'description', 'category', 'version', 'updateVersion', 'image', 'command'] as const),
  ...(['replicas', 'cpuMillicores', 'gpuMemoryMiB', 'memoryMiB', 'extendMethod', 'sourceKind'] as const),
  ...(['codeFrom', 'gitUrl', 'gitProjectId', 'codeVersion', 'language', 'serverType'] as const),
  ...(['oauthServiceId', 'containerCommand', 'openWebhooks', 'componentType', 'isInner'] as const),
  ...(['origin', 'buildUpgrade'] as const),
  ...autoscalingColumns,
];

type Component = Part<'Component', (typeof componentColumns)[number]>;

/** Finds the URLs at which each of the components is reached from outside. */
type AccessUrlProvider = (context: Context, components: readonly Component[]) => Promise<string[][]>;

/** Of the concepts below this one. `api.ts` lists them. */
export const accessUrlProviders: AccessUrlProvider[] = [];

async function accessUrlsOf(components: readonly Component[], context: Context): Promise<string[][]> {
  const urlLists = await Promise.all(accessUrlProviders.map((urlsOf) => urlsOf(context, components)));
  return components.map((_, index) => urlLists.flatMap((urls) => urls[index]!));
}

const creatorsOf = (components: readonly Component[], context: Context): Promise<number[]> =>
  foundFor(
    context,
    components.map(({ creatorId }) => creatorId),
    async (_, id) => (id === null ? 0 : ((await visibleUserById(context, id))?.id ?? 0)),
  );

const areUpgradable = (components: readonly Component[], context: Context): Promise<boolean[]> =>
  foundFor(
    context,
    components.map(({ groupId }) => groupId),
    (_, groupId) => isUpgradable(context, { groupId }),
  );

const replicasOf = async (components: readonly Component[], context: Context): Promise<number[]> =>
  components.some(({ maxReplicas }) => maxReplicas !== null)
    ? Promise.all(components.map((component) => replicasNow(context, component)))
    : components.map(({ replicas }) => replicas);

const field = fieldsOf<Component>();
const text = (description: string, example: string, read: (row: Component) => string) =>
  field(z.string(), description, example, read);
const textOrNull = (description: string, example: string | null, read: (row: Component) => string | null) =>
  field(z.string().nullable(), description, example, read);
const whole = (description: string, example: number, read: (row: Component) => number) =>
  field(z.int(), description, example, read);
const yes = (description: string, example: boolean, read: (row: Component) => boolean) =>
  field(z.boolean(), description, example, read);

export const componentInfo = view('ServiceBaseInfo', 'A component, also called a service.', {
  status: field.all(
    componentStatus,
    'The runtime status. `unknown` if the cluster does not respond.',
    'running',
    (components, context) => statusesOf(context, components),
  ),
  access_infos: field.all(
    z.array(z.string()),
    'The public addresses: `http(s)://domain/path` for each published HTTP rule, then `host:port` for each published TCP rule.',
    ['http://8080.gr07c0ff.retail.eu-central.apps.example/'],
    accessUrlsOf,
  ),
  service_id: text('The id of the component.', '1a2b6b1f0a3c5d7e49f08a2b4c6d8e0f', (row) => row.id),
  tenant_id: text('The id of the team.', '6b1f0a3c5d7e49f08a2b4c6d8e0f1a2b', (row) => row.teamId),
  service_key: text(
    'The key of the component, which is the same in every version of its template.',
    '49f08a2b4c6d8e0f1a2b6b1f0a3c5d7e',
    (row) => row.key,
  ),
  service_alias: text('The unique name in the team and region.', 'gr07c0ff', (row) => row.alias),
  service_cname: text('The display name.', 'frontend', (row) => row.name),
  service_region: field.all(z.string(), 'The name of the region.', 'eu-central', regionNamesOf),
  desc: textOrNull('A description of the component.', null, (row) => row.description),
  category: text(
    `The category: \`application\`, \`cache\` or \`store\`. ${onlyStored}`,
    'application',
    (row) => row.category,
  ),
  version: text('The version.', 'v0.10.3', (row) => row.version),
  update_version: whole('The number of deploys.', 1, (row) => row.updateVersion),
  image: text('The image reference.', 'registry.example/shop/frontend:v0.10.3', (row) => row.image),
  cmd: textOrNull('The start arguments.', null, (row) => row.command),
  min_node: field.all(z.int(), 'The number of instances.', 1, replicasOf),
  min_cpu: whole(
    'The CPU request per instance, in millicores (1000 = 1 core).',
    200,
    (row) => row.cpuMillicores,
  ),
  container_gpu: whole(`The GPU memory per instance, in MiB. ${onlyStored}`, 0, (row) => row.gpuMemoryMiB),
  min_memory: whole('The memory request per instance, in MiB.', 128, (row) => row.memoryMiB),
  extend_method: text(
    'How the instances are deployed: `stateless` or `state`.',
    'stateless',
    (row) => row.extendMethod,
  ),
  code_from: textOrNull(
    `The git hosting service, for example \`github\` or \`gitlab\`. ${onlyStored}`,
    null,
    (row) => row.codeFrom,
  ),
  git_url: textOrNull(`The URL of the code repository. ${onlyStored}`, null, (row) => row.gitUrl),
  git_project_id: whole(
    `The id of the project at the git hosting service. 0 if there is none. ${onlyStored}`,
    0,
    (row) => row.gitProjectId,
  ),
  code_version: textOrNull(`The branch, tag or commit. ${onlyStored}`, null, (row) => row.codeVersion),
  service_type: textOrNull(
    'The kind of workload, for example `web`, `mysql`, `redis` or `mongodb`.',
    null,
    (row) => row.componentType,
  ),
  creater: field.all(
    z.int(),
    'The numeric id of the user who created the component. 0 if the account no longer exists or is not visible to the caller.',
    1,
    creatorsOf,
  ),
  language: textOrNull(`The programming language. ${onlyStored}`, null, (row) => row.language),
  total_memory: field.all(
    z.int(),
    'The memory request of all instances, in MiB.',
    128,
    async (components, context) => {
      const counts = await replicasOf(components, context);
      return components.map(({ memoryMiB }, index) => counts[index]! * memoryMiB);
    },
  ),
  is_service: yes(`Whether this is an internal component. ${onlyStored}`, false, (row) => row.isInner),
  service_origin: text(
    'How the component was created. Always `assistant`, because components are created through this API.',
    'assistant',
    (row) => row.origin,
  ),
  tenant_service_group_id: whole(
    'The numeric id of the group of components that were installed together with this one. 0 if the component was not installed from a template.',
    1,
    (row) => row.groupId ?? 0,
  ),
  open_webhooks: yes('Whether deploy hooks can deploy the component.', false, (row) => row.openWebhooks),
  service_source: textOrNull(
    'The kind of the source: `source_code`, `market`, `container_run` or `container_compose`.',
    'market',
    (row) => row.sourceKind,
  ),
  create_status: textOrNull(
    'The status of the creation. Always null, because a component is created in one step.',
    null,
    () => null,
  ),
  check_uuid: textOrNull(
    'The id of the source detection. Always null, because sources are set by the caller and not detected.',
    null,
    () => null,
  ),
  check_event_id: textOrNull(
    'The id of the source detection event. Always null, because sources are set by the caller and not detected.',
    null,
    () => null,
  ),
  container_cmd: textOrNull(
    `The command that creates the container. ${onlyStored}`,
    null,
    (row) => row.containerCommand,
  ),
  server_type: text(`The type of the repository. ${onlyStored}`, 'git', (row) => row.serverType),
  is_upgrate: field.all(
    z.boolean(),
    'Whether the store offered a version newer than the installed one when it last responded.',
    false,
    areUpgradable,
  ),
  build_upgrade: yes(
    `Whether the component is upgraded after a build. ${onlyStored}`,
    true,
    (row) => row.buildUpgrade,
  ),
  oauth_service_id: field(
    z.int().nullable(),
    `The OAuth service used to pull the source. ${onlyStored}`,
    null,
    (row) => row.oauthServiceId,
  ),
  cluster_component_name: text('The name in the cluster.', 'frontend', (row) => row.clusterName),
});
