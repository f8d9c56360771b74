/** The contract's fields of a component, by the expression that has their value; `c` is the component. */
const restFields: Record<string, string> = {
  status: 'c.deploy_state',
  service_id: 'c.id',
  tenant_id: 'c.team_id',
  service_key: 'c.key',
  service_alias: 'c.alias',
  service_cname: 'c.name',
  service_region: 'r.name',
  desc: 'c.description',
  category: 'c.category',
  version: 'c.version',
  update_version: 'c.update_version',
  image: 'c.image',
  cmd: 'c.command',
  min_node: 'c.replicas',
  min_cpu: 'c.cpu_millicores',
  container_gpu: 'c.gpu_memory_mib',
  min_memory: 'c.memory_mib',
  extend_method: 'c.extend_method',
  code_from: 'c.code_from',
  git_url: 'c.git_url',
  git_project_id: 'c.git_project_id',
  code_version: 'c.code_version',
  service_type: 'c.component_type',
  creater: 'coalesce(c.creator_id, 0)',
  language: 'c.language',
  total_memory: 'c.replicas * c.memory_mib',
  is_service: 'c.is_inner',
  service_origin: 'c.origin',
  tenant_service_group_id: 'coalesce(c.group_id, 0)',
  open_webhooks: 'c.open_webhooks',
  service_source: 'c.source_kind',
  create_status: 'c.create_status',
  check_uuid: 'c.check_uuid',
  check_event_id: 'c.check_event_id',
  container_cmd: 'c.container_command',
  server_type: 'c.server_type',
  is_upgrate: 'c.is_upgradable',
  build_upgrade: 'c.build_upgrade',
  oauth_service_id: 'c.oauth_service_id',
  cluster_component_name: 'c.cluster_name',
};

export const restColumns = Object.entries(restFields)
  .map(([name, expression]) => `${expression} AS "${name}"`)
  .join(', ');

/** Components of an application that is in this team and region. */
export const restFrom = `FROM component c JOIN application a ON a.id = c.application_id JOIN region r ON r.id = a.region_id`;
