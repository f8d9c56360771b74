import { changed, each, info, lost, none, type Rules, some, to } from '../claims.ts';
import type { Value } from '../yaml.ts';

export const ofCluster = 'The cluster decides it.';
const ofImage = 'The image sets this for its instances.';
const ofHost = 'Instances have no access to the host.';
const ofProcess = 'Processes have the limits and the rights of the cluster.';
const noMoreRights = 'Instances get no additional rights.';
export const ownNames = 'Trellis sets its own labels and annotations.';
export const newVolumes = 'Volumes are empty at first.';

/** The conversion adds a note with the objects that it is about. */
export const noted = to('a note');

/** The rule for a value, unless it is one that a cluster fills in. */
export const unless = (standard: RegExp, rule: Rules[string], reason: string) =>
  'notes' in rule
    ? some(
        rule.notes.map((each) => ({ ...each, when: (value: Value) => !standard.test(String(value)) })),
        reason,
      )
    : rule;

const probeRules = (path: string): Rules => ({
  ...each(`${path}.httpGet`, 'path port scheme', to('`probes`')),
  ...each(`${path}.httpGet.httpHeaders[]`, 'name value', to('`probes`')),
  [`${path}.tcpSocket.port`]: to('`probes`'),
  ...each(`${path}.grpc`, 'port service', to('`probes`')),
  [`${path}.exec.command`]: to('`probes`'),
  ...each(path, 'httpGet.host tcpSocket.host', noted),
  ...each(
    path,
    'initialDelaySeconds periodSeconds timeoutSeconds failureThreshold successThreshold',
    to('`probes`'),
  ),
  [`${path}.terminationGracePeriodSeconds`]: changed('Instances have one grace period.'),
});

const mode = unless(/^(420|644|0o644)$/, changed('Files have the mode 0644.'), 'Files have the mode 0644.');
const missing = none('A reference to something that does not exist is noted.');

function volumeRules(volume: string): Rules {
  return {
    [`${volume}.name`]: to('`volumes`'),
    [`${volume}.configMap.name`]: to('`volumes` of the type `config-file`'),
    ...each(`${volume}.configMap.items[]`, 'key path', to('`volumes` of the type `config-file`')),
    [`${volume}.configMap.optional`]: missing,
    ...each(`${volume}.configMap`, 'defaultMode items[].mode', mode),
    [`${volume}.emptyDir.medium`]: to('`volumes` of the type `memoryfs`, if it is the memory'),
    [`${volume}.emptyDir.sizeLimit`]: info('The size of volumes in memory is not limited.'),
    [`${volume}.persistentVolumeClaim.claimName`]: to('`volumes`'),
    [`${volume}.persistentVolumeClaim.readOnly`]: info('Instances can write to their volumes.'),
    ...each(volume, 'secret projected downwardAPI ephemeral gitRepo hostPath nfs csi', noted),
    ...each(
      volume,
      'awsElasticBlockStore azureDisk azureFile cephfs cinder fc flexVolume flocker gcePersistentDisk glusterfs iscsi photonPersistentDisk portworxVolume quobyte rbd scaleIO storageos vsphereVolume',
      noted,
    ),
  };
}

/** What the claim of a volume asks for. */
export const claimRules = (path: string): Rules => ({
  [`${path}.accessModes`]: to('`volumes`'),
  [`${path}.resources.requests.storage`]: to('`volumes`'),
  ...each(`${path}.resources`, 'requests.* limits claims', none(ofCluster)),
  [`${path}.storageClassName`]: info('The region decides the class of its volumes.'),
  [`${path}.volumeMode`]: unless(/^Filesystem$/, lost('Devices are not mounted.'), 'Volumes have files.'),
  [`${path}.volumeName`]: none(newVolumes),
  ...each(path, 'dataSource dataSourceRef selector', lost(newVolumes)),
});

function containerRules(container: string): Rules {
  const security = `${container}.securityContext`;
  return {
    [`${container}.name`]: none('A component has one container.'),
    [`${container}.image`]: to('`image`'),
    [`${container}.args`]: to('`command`'),
    [`${container}.command`]: to('`entrypoint`'),
    ...each(`${container}.env[]`, 'name value', to('`variables`')),
    ...each(`${container}.env[].valueFrom.configMapKeyRef`, 'name key', to('`variables`')),
    ...each(`${container}.env[].valueFrom.secretKeyRef`, 'name key', to('`variables` that are secret')),
    ...each(`${container}.env[].valueFrom`, 'configMapKeyRef.optional secretKeyRef.optional', missing),
    ...each(`${container}.env[].valueFrom`, 'fieldRef resourceFieldRef', noted),
    ...each(`${container}.envFrom[]`, 'prefix configMapRef.name', to('`variables`')),
    [`${container}.envFrom[].secretRef.name`]: to('`variables` that are secret'),
    ...each(`${container}.envFrom[]`, 'configMapRef.optional secretRef.optional', missing),
    ...each(`${container}.ports[]`, 'containerPort protocol name', to('`ports`')),
    ...each(`${container}.ports[]`, 'hostPort hostIP', lost('Ports are not open at the host.')),
    ...each(`${container}.volumeMounts[]`, 'name mountPath subPath', to('`volumes`')),
    [`${container}.volumeMounts[].subPathExpr`]: noted,
    [`${container}.volumeMounts[].readOnly`]: info('Instances can write to their volumes.'),
    [`${container}.volumeMounts[].mountPropagation`]: unless(/^None$/, changed(ofHost), ofHost),
    ...each(`${container}.resources.requests`, 'cpu memory', to('`cpuMillicores` and `memoryMiB`')),
    ...each(`${container}.resources.limits`, 'cpu memory', to('`cpuLimitMillicores` and `memoryLimitMiB`')),
    ...each(
      `${container}.resources`,
      'requests.* limits.* claims',
      changed('Instances have CPU and memory alone.'),
    ),
    ...probeRules(`${container}.livenessProbe`),
    ...probeRules(`${container}.readinessProbe`),
    ...probeRules(`${container}.startupProbe`),
    [`${container}.workingDir`]: changed(ofImage),
    [`${container}.imagePullPolicy`]: unless(
      /^IfNotPresent$/,
      info('Deploys look for the image of a tag.'),
      'Deploys look for the image of a tag.',
    ),
    ...each(
      `${container}.lifecycle.preStop`,
      'exec.command sleep.seconds',
      to('`preStopSeconds`, or a note'),
    ),
    ...each(`${container}.lifecycle.preStop`, 'httpGet tcpSocket', noted),
    [`${container}.lifecycle.postStart`]: changed('Commands at the start of instances are not run.'),
    [`${security}.runAsNonRoot`]: to('`needsRoot`'),
    ...each(security, 'runAsUser runAsGroup', changed('The image says which user runs it.')),
    ...each(security, 'privileged capabilities.add', changed(noMoreRights)),
    [`${security}.allowPrivilegeEscalation`]: changed(noMoreRights),
    ...each(security, 'capabilities.drop readOnlyRootFilesystem', info(ofProcess)),
    [`${security}.seccompProfile`]: info(ofProcess),
    ...each(security, 'procMount seLinuxOptions windowsOptions', changed(ofProcess)),
    [`${container}.volumeDevices`]: lost('Devices are not mounted.'),
    ...each(
      container,
      'terminationMessagePath terminationMessagePolicy stdin stdinOnce tty resizePolicy',
      none(ofCluster),
    ),
  };
}

/** What a workload has below the template of its pods. Other containers have notes with their names. */
export function podRules(template: string): Rules {
  const pod = `${template}.spec`;
  const security = `${pod}.securityContext`;
  return {
    [`${template}.metadata`]: none(ownNames),
    [`${pod}.nodeSelector`]: to('`placement`'),
    ...each(`${pod}.tolerations[]`, 'key operator value effect', to('`placement`')),
    [`${pod}.tolerations[].tolerationSeconds`]: noted,
    ...each(
      `${pod}.topologySpreadConstraints[]`,
      'maxSkew topologyKey whenUnsatisfiable labelSelector.matchLabels',
      to('`placement`, or a note'),
    ),
    ...each(
      `${pod}.topologySpreadConstraints[]`,
      'labelSelector.matchExpressions matchLabelKeys minDomains nodeAffinityPolicy nodeTaintsPolicy',
      noted,
    ),
    ...each(pod, 'affinity nodeName', changed('Write the nodes as the `placement` of the component.')),
    ...volumeRules(`${pod}.volumes[]`),
    [`${pod}.initContainers`]: changed('Commands before the start of instances are not run.'),
    [`${pod}.ephemeralContainers`]: none('They are for debugging.'),
    ...each(pod, 'hostNetwork hostPID hostIPC', lost(ofHost)),
    ...each(pod, 'hostAliases dnsConfig', changed('The cluster resolves names in its own way.')),
    [`${pod}.dnsPolicy`]: unless(
      /^ClusterFirst/,
      changed('The cluster resolves names in its own way.'),
      'The cluster resolves names in its own way.',
    ),
    [`${pod}.imagePullSecrets`]: changed('Write the credentials of the registry for the team.'),
    ...each(
      pod,
      'serviceAccountName serviceAccount',
      unless(
        /^default$/,
        changed('Instances have no rights in the cluster.'),
        'Instances have no rights in the cluster.',
      ),
    ),
    ...each(
      pod,
      'priorityClassName runtimeClassName hostname subdomain setHostnameAsFQDN shareProcessNamespace readinessGates resourceClaims overhead',
      changed(ofCluster),
    ),
    [`${pod}.schedulerName`]: unless(/^default-scheduler$/, changed(ofCluster), ofCluster),
    [`${pod}.activeDeadlineSeconds`]: changed('Instances run until they are stopped.'),
    ...each(
      pod,
      'automountServiceAccountToken enableServiceLinks restartPolicy priority preemptionPolicy os hostUsers schedulingGates',
      none(ofCluster),
    ),
    [`${pod}.terminationGracePeriodSeconds`]: to('`terminationGracePeriodSeconds`'),
    [`${security}.runAsNonRoot`]: to('`needsRoot`'),
    ...each(
      security,
      'runAsUser runAsGroup supplementalGroups',
      changed('The image says which user runs it.'),
    ),
    ...each(security, 'fsGroup fsGroupChangePolicy', info('Instances can write to their volumes.')),
    [`${security}.seccompProfile`]: info(ofProcess),
    ...each(security, 'seLinuxOptions sysctls windowsOptions', changed(ofProcess)),
    ...containerRules(`${pod}.containers[]`),
  };
}
