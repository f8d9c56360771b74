import type { Row } from '../../../db/tables.ts';
import { storedProbesOf } from '../../../drivers/app-store/template-probe.ts';
import { storedProbes } from '../../component/health/model.ts';
import type { PlainVariable } from '../../component/variables/reads.ts';
import { type Configuration, configured } from '../../gateway-rule/http/model.ts';
import { contractProtocolOf } from '../../port/model.ts';
import type { OmittedItem, OmittedKind } from '../model.ts';

/** A component as it stands, with everything that a template describes. */
export interface StandingComponent {
  row: Row<'Component'>;
  ports: Row<'Port'>[];
  variables: PlainVariable[];
  volumes: Row<'Volume'>[];
  /** The names of its schedules. */
  schedules: string[];
  /** The names of its volumes that have a snapshot schedule. */
  snapshotSchedules: string[];
  /** The ids of the components that it depends on. */
  dependencyIds: string[];
  httpRules: Row<'HttpRule'>[];
  tcpRules: Row<'TcpRule'>[];
}

type Omit = (kind: OmittedKind, component: Row<'Component'>, name: string) => void;

/**
 * The keys of components in the template, by id. Components keep the keys of the templates that they come from, so that
 * installed versions can be upgraded; where several have one key, the oldest keeps it.
 */
function keysOf(components: readonly Row<'Component'>[]): Map<string, string> {
  const used = new Set<string>();
  const age = (one: Row<'Component'>, other: Row<'Component'>) =>
    one.createdAt.getTime() - other.createdAt.getTime() || (one.id < other.id ? -1 : 1);
  return new Map(
    [...components].sort(age).map(({ id, key }) => {
      const own = used.has(key) ? id : key;
      used.add(own);
      return [id, own];
    }),
  );
}

/**
 * The parts of a template in the form of the store protocol, and what it leaves out because it belongs to the team or the
 * region, or the format has no place for it. See `omittedKinds`.
 */
export function formOf(
  components: readonly StandingComponent[],
  isVisible: (dependencyId: string) => boolean,
): {
  apps: object[];
  ingress_http_routes: object[];
  omitted: OmittedItem[];
} {
  const omitted: OmittedItem[] = [];
  const omit: Omit = (kind, { name: component }, name) =>
    omitted.push({
      kind,
      component,
      name: kind === 'dependency' && !isVisible(name) ? 'another component' : name,
    });
  const keys = keysOf(components.map(({ row }) => row));
  return {
    apps: components.map((component) => appOf(component, keys, omit)),
    ingress_http_routes: components.flatMap((component) => routesOf(component, keys, omit)),
    omitted,
  };
}

const shareKey = (key: string) => `${key}+${key}`;

function appOf(
  {
    row,
    ports,
    variables,
    volumes,
    schedules,
    snapshotSchedules,
    dependencyIds,
    tcpRules,
  }: StandingComponent,
  keys: ReadonlyMap<string, string>,
  omit: Omit,
): object {
  const key = keys.get(row.id)!;
  const inScope = (scope: string) => variables.filter((each) => each.scope === scope);
  const variableOf = (variable: PlainVariable) => {
    const isLeftOut = variable.isSecret && variable.value !== '';
    if (isLeftOut) omit('secret', row, variable.name);
    return {
      name: variable.label,
      attr_name: variable.name,
      attr_value: isLeftOut ? '' : variable.value,
      is_change: variable.isChangeable,
      is_secret: variable.isSecret,
      is_required: isLeftOut,
      container_port: variable.portNumber ?? 0,
    };
  };
  for (const rule of tcpRules) {
    if (!rule.isDefault) omit('address', row, `${rule.address}:${rule.portNumber}`);
  }
  if (row.placement !== null) omit('placement', row, row.name);
  if (row.minReplicas !== null) omit('autoscaling', row, row.name);
  for (const name of schedules) omit('schedule', row, name);
  for (const name of snapshotSchedules) omit('snapshot_schedule', row, name);
  // The first port gives the component its inner domain.
  const additionalLast = [...ports].sort(
    (one, other) =>
      Number(one.additionalName !== null) - Number(other.additionalName !== null) ||
      one.number - other.number,
  );
  return {
    service_key: key,
    service_id: key,
    service_share_uuid: shareKey(key),
    service_cname: row.name,
    service_alias: row.alias,
    cluster_component_name: row.clusterName,
    desc: row.description,
    share_image: row.image,
    image: row.image,
    version: row.version,
    ...(row.entrypoint !== null && { entrypoint: row.entrypoint }),
    cmd: row.command ?? '',
    service_type: row.componentType ?? row.category,
    component_category: row.category,
    extend_method: `${row.extendMethod}_multiple`,
    extend_method_map: {
      min_node: row.replicas,
      init_memory: row.memoryMiB,
      container_cpu: row.cpuMillicores,
    },
    memory: row.memoryMiB,
    cpu: row.cpuMillicores,
    ...(row.cpuLimitMillicores !== null && { cpu_limit: row.cpuLimitMillicores }),
    ...(row.memoryLimitMiB !== null && { memory_limit: row.memoryLimitMiB }),
    container_gpu: row.gpuMemoryMiB,
    language: row.language,
    probes: storedProbesOf(storedProbes(row)),
    checks_ports: row.checksPorts,
    pre_stop_second: row.preStopSeconds,
    termination_grace_period_second: row.terminationGracePeriodSeconds,
    deploy_deadline_second: row.deployDeadlineSeconds,
    pre_deploy_command: row.preDeployCommand === null ? null : (JSON.parse(row.preDeployCommand) as string[]),
    pre_deploy_timeout_second: row.preDeployTimeoutSeconds,
    needs_root: row.needsRoot,
    port_map_list: additionalLast.map((port) => ({
      container_port: port.number,
      protocol: contractProtocolOf(port.protocol),
      ...(port.protocol === 'tcp_udp' && { also_udp: true }),
      port_alias: port.alias,
      is_inner_service: port.isInner,
      is_outer_service: port.isOuter,
      cluster_service_name: port.additionalName ?? row.serviceName,
    })),
    service_env_map_list: inScope('environment').map(variableOf),
    service_connect_info_map_list: inScope('connection').map(variableOf),
    service_volume_map_list: volumes.map((volume) => ({
      volume_name: volume.name,
      volume_path: volume.path,
      volume_type: volume.type,
      file_content: volume.fileContent,
      volume_capacity: volume.capacityGiB,
      access_mode: volume.accessMode,
      share_policy: volume.sharePolicy,
      is_shared: volume.isShared,
    })),
    dep_service_map_list: dependencyIds.flatMap((id) => {
      const dependency = keys.get(id);
      if (dependency === undefined) omit('dependency', row, id);
      return dependency === undefined ? [] : { dep_service_key: shareKey(dependency) };
    }),
  };
}

/** `a=b;c=d` as an object. */
const pairsOf = (joined: string) =>
  Object.fromEntries(
    joined
      .split(';')
      .filter((pair) => pair.trim() !== '')
      .map((pair) => {
        const [name, ...value] = pair.trim().split('=');
        return [name, value.join('=')];
      }),
  );

/**
 * The routes of a component. A route is a rule on the default domain of its port, because other domains belong to the team:
 * rules that differ only in their domain become one.
 */
function routesOf(
  { row, ports, httpRules }: StandingComponent,
  keys: ReadonlyMap<string, string>,
  omit: Omit,
): object[] {
  const numbers = new Map(ports.map(({ id, number }) => [id, number]));
  const places = new Set<string>();
  const defaultFirst = [...httpRules].sort(
    (one, other) => Number(other.isDefault) - Number(one.isDefault) || one.id - other.id,
  );
  return defaultFirst.flatMap((rule) => {
    if (!rule.isDefault) omit('address', row, rule.domain);
    if (rule.certificateId !== null || rule.autoSsl) omit('certificate', row, rule.domain);
    const place = `${rule.portId} ${rule.path}`;
    if (places.has(place)) return [];
    places.add(place);
    const settings = configured(JSON.parse(rule.configuration) as Configuration);
    return {
      component_key: shareKey(keys.get(row.id)!),
      port: numbers.get(rule.portId),
      location: rule.path,
      default_domain: true,
      cookies: pairsOf(rule.cookie),
      headers: pairsOf(rule.header),
      path_rewrite: rule.pathRewrite,
      rewrites: JSON.parse(rule.rewrites) as object[],
      weight: rule.weight,
      rule_extensions: JSON.parse(rule.extensions) as string[],
      ssl: false,
      websocket: false,
      connection_timeout: settings.connectTimeoutSeconds,
      request_timeout: settings.sendTimeoutSeconds,
      response_timeout: settings.readTimeoutSeconds,
      request_body_size_limit: settings.bodySizeMB,
      proxy_buffering: settings.isBuffered,
      proxy_buffer_size: settings.bufferSizeKB,
      proxy_buffer_numbers: settings.bufferCount,
      proxy_header: Object.fromEntries(settings.setHeaders.map(({ key, value }) => [key, value])),
    };
  });
}
