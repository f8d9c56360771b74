import { z } from 'zod';
import {
  boundedString,
  commandWords,
  displayName,
  displayText,
  dnsLabel,
  line,
  prose,
} from '../../kernel/validate.ts';
import { maxDeadlineSeconds, shutdownDefaults } from '../region/health.ts';
import { isImage, notAnImage } from '../registry/image.ts';
import { filled, list, orElse, withItems } from './answer.ts';
import { readProbes, templateProbe } from './template-probe.ts';

/** The limits of one component. */
const componentLimits = { ports: 200, variables: 500, volumes: 100, dependencies: 500 } as const;

/** The defaults for numbers that are null in a template. */
const templateDefaults = { replicas: 1, cpuMillicores: 500, memoryMiB: 512 } as const;

const portNumber = z.int().min(1).max(65_535);

const port = z
  .object({
    container_port: portNumber,
    protocol: z.enum(['tcp', 'http', 'mysql', 'grpc', 'udp']),
    // Not part of the protocol: whether a port of TCP serves UDP as well.
    also_udp: z.boolean().nullish().catch(null),
    port_alias: boundedString(64).regex(
      /^[A-Z][A-Z0-9_]*$/,
      'Must contain only upper-case letters, digits and `_`, and start with a letter',
    ),
    is_inner_service: orElse(z.boolean(), false),
    is_outer_service: orElse(z.boolean(), false),
    cluster_service_name: filled(dnsLabel()),
  })
  .transform((each) => ({
    number: each.container_port,
    protocol: each.protocol === 'tcp' && each.also_udp ? ('tcp_udp' as const) : each.protocol,
    alias: each.port_alias,
    isInner: each.is_inner_service,
    isOuter: each.is_outer_service,
    /** Not unique: several components of a template can request the same name. */
    serviceName: each.cluster_service_name,
  }));

const variable = z
  .object({
    name: orElse(displayText(255), ''),
    attr_name: boundedString(255).regex(
      /^[A-Za-z_][-._A-Za-z0-9]*$/,
      'Must contain only letters, digits, `_`, `-` and `.`, and not start with a digit',
    ),
    // Templates can have unquoted numbers, for example `PORT: 80`.
    attr_value: z.preprocess(
      (value) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : value),
      orElse(prose(65_536), ''),
    ),
    is_change: orElse(z.boolean(), true),
    is_secret: z.boolean().nullish(),
    is_required: orElse(z.boolean(), false),
    container_port: z.int().min(0).max(65_535).nullish(),
  })
  .transform((each) => ({
    name: each.attr_name,
    label: each.name || each.attr_name,
    value: each.attr_value,
    isChangeable: each.is_change,
    /** Null if the name decides. */
    isSecret: each.is_secret ?? null,
    /** Whether an install has to give the value, which the template leaves out. */
    isRequired: each.is_required && each.attr_value === '',
    /** The port that the variable describes. Null if there is none, which the format also writes as 0. */
    portNumber: each.container_port || null,
  }));

const volume = z
  .object({
    volume_name: displayName(100),
    volume_path: line(1024).refine((path) => path.startsWith('/'), 'Must be an absolute path'),
    volume_type: line(64),
    file_content: orElse(prose(1_048_576), ''),
    volume_capacity: z.int32().min(0).nullish(),
    access_mode: filled(line(64)),
    share_policy: filled(line(64)),
    // Not part of the protocol.
    is_shared: orElse(z.boolean(), false),
  })
  .transform((each) => ({
    name: each.volume_name,
    path: each.volume_path,
    type: each.volume_type,
    fileContent: each.file_content,
    capacityGiB: each.volume_capacity ?? null,
    accessMode: each.access_mode,
    sharePolicy: each.share_policy,
    isShared: each.is_shared,
  }));

const millicores = z.int().min(0).max(1_000_000).nullish();
/** Nodes never start an image whose reference is not valid. */
const image = line(1024).refine(isImage, notAnImage);

const mebibytes = z.int().min(0).max(16_777_216).nullish();
const byName = [{ field: 'attr_name', of: ({ name }: { name: string }) => name }];

/** The defaults if the pause is not shorter than the time until an instance is killed. */
function shutdownOf(pause: number | null | undefined, grace: number | null | undefined) {
  const times = {
    preStopSeconds: pause ?? shutdownDefaults.preStopSeconds,
    terminationGracePeriodSeconds: grace ?? shutdownDefaults.terminationGracePeriodSeconds,
  };
  return times.terminationGracePeriodSeconds > times.preStopSeconds ? times : shutdownDefaults;
}

/** A limit above its request, or 0 for none. Null stands for as much as is requested. */
const limitOver = (request: number, limit: number | null | undefined) =>
  limit === 0 || (limit ?? 0) > request ? limit! : null;

export const templateComponent = z
  .object({
    service_key: line(255),
    service_id: filled(line(255)),
    service_share_uuid: filled(line(511)),
    service_cname: displayName(128),
    cluster_component_name: filled(dnsLabel()),
    share_image: filled(image),
    image: filled(image),
    version: filled(displayName(255)),
    cmd: orElse(prose(65_536), ''),
    service_type: filled(line(64)),
    // Not part of the protocol. What a published application has beyond it; other values are ignored.
    component_category: z.enum(['application', 'cache', 'store']).nullish().catch(null),
    desc: z.string().max(2048).nullish().catch(null),
    container_gpu: mebibytes.catch(null),
    // As in `stateless_multiple` and `state_singleton`. The part after the underscore is ignored.
    extend_method: z.preprocess(
      (value) => (typeof value === 'string' ? value.replace(/_.*$/s, '') : value),
      orElse(z.enum(['stateless', 'state']), 'stateless'),
    ),
    extend_method_map: z
      .object({
        min_node: z.int().min(0).max(10_000).nullish(),
        init_memory: mebibytes,
        min_memory: mebibytes,
        container_cpu: millicores,
      })
      .nullish(),
    memory: mebibytes,
    cpu: millicores,
    // Not part of the protocol, as above. Without a limit, it is as much as is requested. 0 is none.
    entrypoint: filled(prose(65_536)),
    cpu_limit: millicores.catch(null),
    memory_limit: mebibytes.catch(null),
    language: filled(line(64)),
    service_image: z.object({}).nullish().catch(null),
    probes: withItems(
      z
        .unknown()
        .optional()
        .transform((value) => readProbes(value).probes),
      templateProbe,
    ),
    // Not part of the protocol, as above.
    checks_ports: z.boolean().nullish().catch(null),
    pre_stop_second: z.int32().min(0).max(3_600).nullish().catch(null),
    termination_grace_period_second: z.int32().min(1).max(86_400).nullish().catch(null),
    deploy_deadline_second: z.int32().min(10).max(maxDeadlineSeconds).nullish().catch(null),
    pre_deploy_command: commandWords.nullish().catch(null),
    pre_deploy_timeout_second: z.int32().min(1).max(86_400).nullish().catch(null),
    needs_root: z.boolean().nullish().catch(null),
    port_map_list: list(port, componentLimits.ports, [
      { field: 'container_port', of: ({ number }) => number },
      { field: 'port_alias', of: ({ alias }) => alias },
    ]),
    service_env_map_list: list(variable, componentLimits.variables, byName),
    service_connect_info_map_list: list(variable, componentLimits.variables, byName),
    service_volume_map_list: list(volume, componentLimits.volumes, [
      { field: 'volume_name', of: ({ name }) => name },
      { field: 'volume_path', of: ({ path }) => path },
    ]),
    dep_service_map_list: list(z.object({ dep_service_key: line(511) }), componentLimits.dependencies),
  })
  .transform((each, ctx) => {
    const image = each.share_image ?? each.image;
    if (image === null) {
      ctx.addIssue({ code: 'custom', path: ['share_image'], message: 'Required unless `image` is set' });
      return z.NEVER;
    }
    const size = each.extend_method_map;
    // The limit of the protocol takes precedence over its request (`min_memory`).
    const memoryMiB = each.memory ?? size?.init_memory ?? size?.min_memory ?? templateDefaults.memoryMiB;
    const cpuMillicores = each.cpu ?? size?.container_cpu ?? templateDefaults.cpuMillicores;
    const type = each.service_type;
    return {
      key: each.service_key,
      shareKey: each.service_share_uuid ?? `${each.service_key}+${each.service_id ?? ''}`,
      name: each.service_cname,
      clusterName: each.cluster_component_name,
      image,
      version: each.version,
      entrypoint: each.entrypoint,
      command: each.cmd,
      /** The kind of workload, for example `web` or `mysql`. The field also holds categories. */
      kind: type && !['application', 'cache', 'store'].includes(type) ? type : null,
      category:
        each.component_category ?? (type === 'cache' || type === 'store' ? type : ('application' as const)),
      description: each.desc || null,
      gpuMemoryMiB: each.container_gpu ?? 0,
      extendMethod: each.extend_method,
      replicas: size?.min_node ?? templateDefaults.replicas,
      ...{ cpuMillicores, memoryMiB },
      cpuLimitMillicores: limitOver(cpuMillicores, each.cpu_limit),
      memoryLimitMiB: limitOver(memoryMiB, each.memory_limit),
      language: each.language,
      probes: each.probes,
      checksPorts: each.checks_ports ?? true,
      ...shutdownOf(each.pre_stop_second, each.termination_grace_period_second),
      deployDeadlineSeconds: each.deploy_deadline_second ?? maxDeadlineSeconds,
      preDeployCommand: each.pre_deploy_command ?? null,
      preDeployTimeoutSeconds: each.pre_deploy_timeout_second ?? null,
      needsRoot: each.needs_root ?? null,
      ports: each.port_map_list,
      variables: each.service_env_map_list.map(({ portNumber: _, ...own }) => own),
      connectionVariables: each.service_connect_info_map_list,
      volumes: each.service_volume_map_list,
      dependencies: each.dep_service_map_list.map(({ dep_service_key }) => dep_service_key),
    };
  });

export type TemplateComponent = z.output<typeof templateComponent>;
