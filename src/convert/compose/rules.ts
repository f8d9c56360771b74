import { changed, each, info, lost, none, type Rules, some, to } from '../claims.ts';
import { isMapping, isTrue, listOf, type Value } from '../yaml.ts';

const text = (value: Value) => (typeof value === 'string' ? value : '');
const s = 'services.*';

/** Labels that tell a proxy which requests are for a service. */
const isRouting = (value: Value) => {
  const names = isMapping(value) ? Object.keys(value) : listOf(value).map(text);
  return names.some((name) => /^(traefik\.(http|tcp|udp)\.routers|caddy|virtual[._]host)/i.test(name));
};
const labels = {
  notes: [
    {
      grade: 'LOST',
      reason: 'Proxy addresses in labels are not converted. Write them as routes.',
      when: isRouting,
    },
    { grade: 'INFO', reason: 'Components have no labels.' },
  ],
} as const;

const restart = some(
  [
    {
      grade: 'INFO',
      reason: 'Instances that end are always started again.',
      when: (value) => /^(no|none|on-failure.*)$/.test(text(value)),
    },
  ],
  'Instances that end are started again.',
);
const ofImage = 'The image sets this for its instances.';
const ofCluster = 'The cluster decides it.';
const ofProcess = 'Processes have the limits and the rights of the cluster.';
const ofHost = 'Instances have no access to the host.';
const ownDevices = 'Instances have no devices of the host.';
const ofNetwork = 'All components of a team in a region are in one network.';
const ofLocalUse = 'It applies only to the use on one machine.';
const rollout = 'Trellis replaces instances one after the other.';
const lifecycle = 'Commands at the start and the end of instances are not run.';

/** What becomes of each path of a Compose file. @see https://github.com/compose-spec/compose-spec/blob/main/spec.md */
export const composeRules: Rules = {
  version: none('Compose ignores it too.'),
  name: to('`application`'),
  include: to('what the files have'),

  [`${s}.image`]: to('`image`'),
  [`${s}.build`]: changed('Images are not built. Push the image, and write its name.'),
  [`${s}.command`]: to('`command`'),
  [`${s}.entrypoint`]: to('`entrypoint`'),
  [`${s}.environment`]: to('`variables`'),
  [`${s}.env_file`]: to('`variables`'),
  [`${s}.env_file[]`]: to('`variables`'),
  ...each(`${s}.env_file[]`, 'path required format', to('`variables`')),
  [`${s}.extends`]: to('what the other service has'),
  [`${s}.profiles`]: to('the services of the active profiles'),
  [`${s}.scale`]: to('`replicas`'),
  [`${s}.depends_on`]: to('`dependsOn`'),
  [`${s}.depends_on[]`]: to('`dependsOn`'),
  ...each(`${s}.depends_on.*`, 'condition required', to('`dependsOn`')),
  [`${s}.depends_on.*.restart`]: none('Instances are not restarted when others are.'),
  [`${s}.links`]: to('`dependsOn`, and the name by which the other is called'),
  [`${s}.external_links`]: lost('Containers outside the file cannot be reached by these names.'),

  [`${s}.ports`]: to('`ports`'),
  [`${s}.ports[]`]: to('`ports`'),
  ...each(`${s}.ports[]`, 'target published host_ip protocol app_protocol', to('`ports`')),
  ...each(`${s}.ports[]`, 'name mode', none('Ports have no names, and are open at the gateway.')),
  [`${s}.expose`]: to('`ports`, open inside'),
  [`${s}.container_name`]: to('the name of the service, where others call it by this one'),
  [`${s}.hostname`]: to('the name of the service, where others call it by this one'),
  [`${s}.networks`]: none(ofNetwork),
  [`${s}.networks[]`]: none(ofNetwork),
  [`${s}.networks.*.aliases`]: to('the name of the service, where others call it by these'),
  ...each(
    `${s}.networks.*`,
    'ipv4_address ipv6_address link_local_ips',
    changed('Components have no fixed addresses. Call them by their names.'),
  ),
  ...each(
    `${s}.networks.*`,
    'interface_name mac_address driver_opts priority gw_priority',
    none('Components have one network, without settings.'),
  ),
  [`${s}.network_mode`]: some(
    [
      {
        grade: 'LOST',
        reason:
          'Components do not share the network of the host. Write the ports on which the component listens.',
        when: (value) => text(value) === 'host',
      },
      {
        grade: 'LOST',
        reason: 'Components do not share the network of others: localhost does not lead to them.',
        when: (value) => /^(service|container):/.test(text(value)),
      },
      {
        grade: 'CHANGED',
        reason: 'Components always have a network.',
        when: (value) => text(value) === 'none',
      },
    ],
    ofNetwork,
  ),
  ...each(s, 'dns dns_opt dns_search extra_hosts', changed('The cluster resolves names in its own way.')),
  ...each(s, 'domainname mac_address', info(ofCluster)),

  [`${s}.volumes`]: to('`volumes`'),
  [`${s}.volumes[]`]: to('`volumes`'),
  ...each(`${s}.volumes[]`, 'type source target read_only', to('`volumes`')),
  [`${s}.volumes[].volume.subpath`]: lost(
    'A folder inside a volume cannot be mounted: the whole volume is mounted.',
  ),
  ...each(`${s}.volumes[].volume`, 'labels nocopy', none('Volumes are empty at first, and have no labels.')),
  [`${s}.volumes[].bind`]: none(ofHost),
  [`${s}.volumes[].tmpfs.size`]: info('The size of volumes in memory is not limited.'),
  [`${s}.volumes[].tmpfs.mode`]: info('The mode of volumes in memory cannot be chosen.'),
  [`${s}.volumes[].image`]: lost('Images cannot be mounted.'),
  [`${s}.volumes[].consistency`]: none(ofLocalUse),
  [`${s}.volumes_from`]: lost('Volumes of other services cannot be mounted.'),
  [`${s}.tmpfs`]: to('`volumes` of the type `memoryfs`'),
  [`${s}.configs`]: to('`volumes` of the type `config-file`'),
  [`${s}.configs[]`]: to('`volumes` of the type `config-file`'),
  ...each(`${s}.configs[]`, 'source target', to('`volumes` of the type `config-file`')),
  ...each(`${s}.configs[]`, 'uid gid mode', info('All users of an instance can read its files.')),
  [`${s}.secrets`]: changed(
    'Files of secrets are not converted. Write their values as variables with `isSecret: true`.',
  ),
  [`${s}.storage_opt`]: info(ofCluster),

  ...each(`${s}.healthcheck`, 'test interval timeout retries disable', to('`probes.readiness`')),
  ...each(`${s}.healthcheck`, 'start_period start_interval', to('`probes.startup`')),
  [`${s}.stop_grace_period`]: to('`terminationGracePeriodSeconds`'),
  [`${s}.stop_signal`]: changed('Instances get the signal that their image names, or SIGTERM.'),
  ...each(s, 'pre_start post_start pre_stop', changed(lifecycle)),
  [`${s}.restart`]: restart,
  [`${s}.init`]: info('Instances have no init process beside that of the image.'),
  [`${s}.working_dir`]: changed(ofImage),
  [`${s}.user`]: some(
    [
      {
        grade: 'CHANGED',
        reason: 'The image says which user runs it.',
        when: (value) => !/^(0|root)(:|$)/.test(text(value)),
      },
    ],
    '0 and root become `needsRoot`.',
  ),
  [`${s}.group_add`]: changed(ofImage),

  ...each(s, 'cpus mem_limit', to('`cpuLimitMillicores` and `memoryLimitMiB`')),
  [`${s}.mem_reservation`]: to('`memoryMiB`'),
  ...each(
    s,
    'cpu_count cpu_percent cpu_quota cpu_period cpu_rt_period cpu_rt_runtime cpuset',
    changed('CPU is measured in cores: write `cpuMillicores`.'),
  ),
  ...each(s, 'cpu_shares blkio_config mem_swappiness memswap_limit', info(ofProcess)),
  ...each(s, 'oom_kill_disable oom_score_adj pids_limit', info(ofProcess)),
  [`${s}.shm_size`]: changed('The cluster sets the size of /dev/shm.'),
  ...each(s, 'ulimits sysctls', changed(ofProcess)),
  ...each(s, 'cap_add privileged', changed('Instances get no additional rights.')),
  ...each(s, 'cap_drop security_opt read_only', info(ofProcess)),
  ...each(s, 'devices device_cgroup_rules gpus', changed(ownDevices)),
  ...each(
    s,
    'ipc pid uts',
    some(
      [
        {
          grade: 'CHANGED',
          reason: ofHost,
          when: (value) => text(value) !== 'private' && text(value) !== 'shareable',
        },
      ],
      ofCluster,
    ),
  ),
  ...each(s, 'cgroup cgroup_parent isolation runtime userns_mode', info(ofCluster)),
  [`${s}.credential_spec`]: changed(ofHost),
  [`${s}.use_api_socket`]: changed(ofHost),
  [`${s}.platform`]: info('The cluster chooses the platform.'),
  ...each(s, 'pull_policy pull_refresh_after', none('Deploys look for the image of a tag.')),
  [`${s}.labels`]: labels,
  ...each(s, 'annotations label_file', info('Components have no labels.')),
  [`${s}.logging`]: info('Logs are read from the cluster.'),
  ...each(s, 'attach develop stdin_open tty', none(ofLocalUse)),
  [`${s}.models`]: changed('Models are not run.'),
  [`${s}.provider`]: changed('Providers are not run.'),

  [`${s}.deploy.replicas`]: to('`replicas`'),
  [`${s}.deploy.mode`]: some(
    [
      {
        grade: 'CHANGED',
        reason: 'Instances are not started on each node. Write the number of `replicas`.',
        when: (value) => text(value).startsWith('global'),
      },
    ],
    'Components have a number of instances.',
  ),
  [`${s}.deploy.endpoint_mode`]: none(ofCluster),
  [`${s}.deploy.labels`]: labels,
  ...each(`${s}.deploy`, 'rollback_config update_config', info(rollout)),
  ...each(`${s}.deploy.resources.limits`, 'cpus memory', to('`cpuLimitMillicores` and `memoryLimitMiB`')),
  [`${s}.deploy.resources.limits.pids`]: info(ofProcess),
  ...each(`${s}.deploy.resources.reservations`, 'cpus memory', to('`cpuMillicores` and `memoryMiB`')),
  ...each(`${s}.deploy.resources.reservations`, 'generic_resources devices', changed(ownDevices)),
  [`${s}.deploy.restart_policy.condition`]: restart,
  ...each(`${s}.deploy.restart_policy`, 'delay max_attempts window', info(ofCluster)),
  [`${s}.deploy.placement`]: changed('Write the nodes as the `placement` of the component.'),

  'networks.*.internal': some(
    [
      {
        grade: 'CHANGED',
        reason: 'Components reach the internet, and those of a team in a region each other.',
        when: isTrue,
      },
    ],
    ofNetwork,
  ),
  'networks.*.external': info('Other containers in the network cannot be reached by their names there.'),
  ...each(
    'networks.*',
    'name driver driver_opts ipam enable_ipv4 enable_ipv6 attachable labels',
    none(ofNetwork),
  ),
  'volumes.*.external': lost('Volumes are empty at first: the data of an existing volume is not copied.'),
  'volumes.*.driver': some(
    [
      {
        grade: 'LOST',
        reason: 'The cluster provides the volumes: the storage of a driver is not mounted.',
        when: (value) => text(value) !== 'local',
      },
    ],
    'The cluster provides the volumes.',
  ),
  'volumes.*.driver_opts': lost(
    'The cluster provides the volumes: storage named in driver options is not mounted.',
  ),
  ...each('volumes.*', 'name labels', none('Volumes are named after their component, and have no labels.')),
  ...each('configs.*', 'file content environment', to('`volumes` of the type `config-file`')),
  'configs.*.external': changed('The content of a config outside the file is unknown.'),
  'configs.*.template_driver': changed('Templates are not filled in.'),
  ...each('configs.*', 'name labels', none('Files are part of their component.')),
  'secrets.*': none('Each service that uses it has a note.'),
  'models.*': none('Each service that uses it has a note.'),
};
