import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { ApiError } from '../../kernel/errors.ts';
import { fieldsOf, view } from '../../rest/view.ts';
import { regionById } from '../region/reads.ts';
import { visibleUserById } from '../user/reads.ts';
import { type ComponentStatus, componentStatus } from './model.ts';
import { isUpgradable, statusOf } from './reads.ts';

type Component = Row<'Component'>;

/** A concept below tells here where components are reached, as it adds its fields to their type. */
export const reachedAt: ((context: Context, component: Component) => Promise<string[]>)[] = [];

/** A cluster that does not answer costs the status alone. */
async function statusOrUnknown(context: Context, component: Component): Promise<ComponentStatus> {
  try {
    return await statusOf(context, component);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'REGION_UNAVAILABLE') return 'unknown';
    throw error;
  }
}

const field = fieldsOf<Component>();
const text = (description: string, example: string, read: (row: Component) => string) =>
  field(z.string(), description, example, read);
const textOrNull = (description: string, example: string | null, read: (row: Component) => string | null) =>
  field(z.string().nullable(), description, example, read);
const whole = (description: string, example: number, read: (row: Component) => number) =>
  field(z.int(), description, example, read);
const yes = (description: string, example: boolean, read: (row: Component) => boolean) =>
  field(z.boolean(), description, example, read);

export const componentInfo = view('ServiceBaseInfo', 'A component, also called service.', {
  status: field(
    componentStatus,
    'What the cluster says of it; `unknown` when it does not answer.',
    'running',
    (row, context) => statusOrUnknown(context, row),
  ),
  access_infos: field(
    z.array(z.string()),
    'Where it is reached from outside: `http(s)://domain/path` of each published HTTP rule, then `host:port` of each TCP rule.',
    ['http://8080.gr07c0ff.retail.eu-central.apps.example/'],
    async (row, context) => (await Promise.all(reachedAt.map((tell) => tell(context, row)))).flat(),
  ),
  service_id: text('Id of the component.', '1a2b6b1f0a3c5d7e49f08a2b4c6d8e0f', (row) => row.id),
  tenant_id: text('Id of its team.', '6b1f0a3c5d7e49f08a2b4c6d8e0f1a2b', (row) => row.teamId),
  service_key: text(
    'Key: the same in every version of its template.',
    '49f08a2b4c6d8e0f1a2b6b1f0a3c5d7e',
    (row) => row.key,
  ),
  service_alias: text('Unique name in the team and region.', 'gr07c0ff', (row) => row.alias),
  service_cname: text('Name shown to people.', 'frontend', (row) => row.name),
  service_region: field(
    z.string(),
    'Name of its region.',
    'eu-central',
    async (row, context) => (await regionById(context, row.regionId))!.name,
  ),
  desc: textOrNull('What it is for.', null, (row) => row.description),
  category: text('`application`, `cache` or `store`.', 'application', (row) => row.category),
  version: text('Version.', 'v0.10.3', (row) => row.version),
  update_version: whole('Count of internal releases.', 1, (row) => row.updateVersion),
  image: text('Image.', 'registry.example/shop/frontend:v0.10.3', (row) => row.image),
  cmd: textOrNull('Start arguments.', null, (row) => row.command),
  min_node: whole('Number of instances.', 1, (row) => row.replicas),
  min_cpu: whole('Per instance, 1000 = 1 core.', 200, (row) => row.cpuMillicores),
  container_gpu: whole('Memory of graphics processors, in MiB.', 0, (row) => row.gpuMemoryMiB),
  min_memory: whole('Per instance, in MiB.', 128, (row) => row.memoryMiB),
  extend_method: text('Kind of deployment, `stateless` or `state`.', 'stateless', (row) => row.extendMethod),
  code_from: textOrNull('Kind of the hosted git service.', null, (row) => row.codeFrom),
  git_url: textOrNull('Code repository.', null, (row) => row.gitUrl),
  git_project_id: whole('Project in the repository host; 0 for none.', 0, (row) => row.gitProjectId),
  code_version: textOrNull('Code version.', null, (row) => row.codeVersion),
  service_type: textOrNull(
    '`web`, `mysql`, `redis`, `mongodb` or the like.',
    null,
    (row) => row.componentType,
  ),
  creater: field(
    z.int(),
    'Number of the user who created it; 0 when the account is gone or not visible to the caller.',
    1,
    async (row, context) =>
      row.creatorId === null ? 0 : ((await visibleUserById(context, row.creatorId))?.id ?? 0),
  ),
  language: textOrNull('Language of the code.', null, (row) => row.language),
  total_memory: whole('All instances together, in MiB.', 128, (row) => row.replicas * row.memoryMiB),
  is_service: yes('Whether it is an inner component.', false, (row) => row.isInner),
  service_origin: text(
    'How it was created. Always `assistant`: components are created through this API.',
    'assistant',
    (row) => row.origin,
  ),
  tenant_service_group_id: whole(
    'Number of the group of components that came from one template with it; 0 for one made by hand.',
    1,
    (row) => row.groupId ?? 0,
  ),
  open_webhooks: yes('Whether a webhook deploys it.', false, (row) => row.openWebhooks),
  service_source: textOrNull(
    '`source_code`, `market`, `container_run` or `container_compose`.',
    'market',
    (row) => row.sourceKind,
  ),
  create_status: textOrNull(
    'Always null: a component is created in one step, and not seen before.',
    null,
    () => null,
  ),
  check_uuid: textOrNull(
    'Always null: sources are described by the caller, and not detected.',
    null,
    () => null,
  ),
  check_event_id: textOrNull('Always null, since sources are not detected.', null, () => null),
  container_cmd: textOrNull('Command that made the container.', null, (row) => row.containerCommand),
  server_type: text('Type of the repository.', 'git', (row) => row.serverType),
  is_upgrate: field(
    z.boolean(),
    'Whether a version newer than the installed one was offered the last time the store answered.',
    false,
    (row, context) => isUpgradable(context, row),
  ),
  build_upgrade: yes('Whether it is upgraded after a build.', true, (row) => row.buildUpgrade),
  oauth_service_id: field(
    z.int().nullable(),
    'The OAuth service used to pull the source.',
    null,
    (row) => row.oauthServiceId,
  ),
  cluster_component_name: text('Name in the cluster.', 'frontend', (row) => row.clusterName),
});
