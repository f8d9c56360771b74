import { changed, each, type Grade, info, lost, none, type Rules, some, to } from '../claims.ts';
import { isMapping, type Value } from '../yaml.ts';

const ofCluster = 'The cluster decides it.';
const ofImage = 'The image sets this for its instances.';
const ofHost = 'Instances have no access to the host.';
const ofProcess = 'Processes have the limits and the rights of the cluster.';
const noMoreRights = 'Instances get no additional rights.';
const ownNames = 'Trellis sets its own labels and annotations.';
const rollout = 'Trellis replaces instances one after the other.';
const newVolumes = 'Volumes are empty at first.';

/** Told by the conversion, which knows what it is about. */
export const noted = to('a note');

/** Told unless it is a value that a cluster fills in. */
const unless = (standard: RegExp, told: Rules[string], reason: string) =>
  'told' in told
    ? some(
        told.told.map((each) => ({ ...each, when: (value: Value) => !standard.test(String(value)) })),
        reason,
      )
    : told;

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
const claimRules = (path: string): Rules => ({
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

/** What a workload has below the template of its pods. Other containers are told by their names. */
function podRules(template: string): Rules {
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

const metadata = (kind: string): Rules => ({
  ...each(kind, 'apiVersion kind metadata', none(ownNames)),
  ...(kind !== 'ConfigMap' &&
    kind !== 'Secret' && { [`${kind}.status`]: none('It describes running objects.') }),
});

/** What Deployments and StatefulSets have in common. */
const workloadRules = (kind: string): Rules => ({
  ...metadata(kind),
  [`${kind}.spec.replicas`]: to('`replicas`'),
  [`${kind}.spec.selector`]: none(ownNames),
  ...each(`${kind}.spec`, 'minReadySeconds revisionHistoryLimit', none(ofCluster)),
  ...podRules(`${kind}.spec.template`),
});

/** Annotations by which a controller treats requests otherwise. */
const isOfController = (value: Value) =>
  isMapping(value) &&
  Object.keys(value).some((name) => !/^(kubectl\.kubernetes\.io|meta\.helm\.sh)\//.test(name));

const annotations = (grade: Grade) =>
  some(
    [{ grade, reason: 'Annotations for a controller are not converted.', when: isOfController }],
    ownNames,
  );

const job = 'CronJob.spec.jobTemplate.spec';

/** What becomes of each path of the objects of Kubernetes that are imported. */
export const kubernetesRules: Rules = {
  ...workloadRules('Deployment'),
  'Deployment.spec.progressDeadlineSeconds': none(ofCluster),
  'Deployment.spec.paused': info('Rollouts are not paused.'),
  'Deployment.spec.strategy.type': unless(/^RollingUpdate$/, changed(rollout), rollout),
  'Deployment.spec.strategy.rollingUpdate': none(rollout),

  ...workloadRules('StatefulSet'),
  ...each('StatefulSet.spec.volumeClaimTemplates[]', 'apiVersion kind status', none(newVolumes)),
  'StatefulSet.spec.volumeClaimTemplates[].metadata.name': to('`volumes`'),
  'StatefulSet.spec.volumeClaimTemplates[].metadata.*': none(ownNames),
  ...claimRules('StatefulSet.spec.volumeClaimTemplates[].spec'),
  'StatefulSet.spec.serviceName': to('`serviceName`'),
  'StatefulSet.spec.updateStrategy.type': unless(/^RollingUpdate$/, changed(rollout), rollout),
  'StatefulSet.spec.updateStrategy.rollingUpdate': none(rollout),
  'StatefulSet.spec.podManagementPolicy': none(rollout),
  ...each('StatefulSet.spec', 'ordinals persistentVolumeClaimRetentionPolicy', none(ofCluster)),

  ...metadata('CronJob'),
  ...each('CronJob.spec', 'schedule timeZone concurrencyPolicy suspend', to('`schedules`')),
  'CronJob.spec.startingDeadlineSeconds': info('A time that has passed by more than a minute is skipped.'),
  ...each(
    'CronJob.spec',
    'successfulJobsHistoryLimit failedJobsHistoryLimit jobTemplate.spec.ttlSecondsAfterFinished',
    none('The last runs of a component are kept.'),
  ),
  ...each('CronJob.spec.jobTemplate', 'metadata spec.selector spec.manualSelector', none(ownNames)),
  [`${job}.activeDeadlineSeconds`]: to('`schedules`'),
  [`${job}.backoffLimit`]: noted,
  [`${job}.podFailurePolicy`]: changed('Runs that fail are not repeated.'),
  ...each(
    job,
    'completions parallelism',
    unless(/^1$/, changed('A run has one instance.'), 'A run has one instance.'),
  ),
  [`${job}.completionMode`]: unless(
    /^NonIndexed$/,
    changed('A run has one instance.'),
    'A run has one instance.',
  ),
  [`${job}.suspend`]: changed('Runs are not paused.'),
  ...podRules(`${job}.template`),
  ...each(`${job}.template.spec.containers[]`, 'command args', to('`schedules`')),
  [`${job}.template.spec.activeDeadlineSeconds`]: to('`schedules`'),

  DaemonSet: noted,
  Job: noted,

  ...each('Service', 'apiVersion kind status', none(ownNames)),
  'Service.metadata.annotations': annotations('INFO'),
  'Service.metadata.*': none(ownNames),
  'Service.spec.selector': to('`ports`, open inside'),
  ...each('Service.spec.ports[]', 'port targetPort protocol name appProtocol', to('`ports`, open inside')),
  'Service.spec.type': noted,
  'Service.spec.externalName': lost('Names of others do not become names of the application.'),
  'Service.spec.ports[].nodePort': none('A note says that the Service is reached from outside.'),
  'Service.spec.externalIPs': lost('The gateway gives ports their outer addresses.'),
  'Service.spec.loadBalancerSourceRanges': changed('The gateway lets all requests in.'),
  ...each(
    'Service.spec',
    'sessionAffinity sessionAffinityConfig',
    unless(
      /^None$/,
      changed('Requests of a client go to any instance.'),
      'Requests of a client go to any instance.',
    ),
  ),
  ...each(
    'Service.spec',
    'clusterIP clusterIPs ipFamilies ipFamilyPolicy internalTrafficPolicy externalTrafficPolicy publishNotReadyAddresses allocateLoadBalancerNodePorts loadBalancerIP loadBalancerClass healthCheckNodePort trafficDistribution',
    none(ofCluster),
  ),

  ...each('Ingress', 'apiVersion kind status', none(ownNames)),
  'Ingress.metadata.annotations': annotations('CHANGED'),
  'Ingress.metadata.*': none(ownNames),
  'Ingress.spec.rules[].host': to('routes'),
  ...each('Ingress.spec.rules[].http.paths[]', 'path pathType', to('routes')),
  ...each('Ingress.spec.rules[].http.paths[].backend.service', 'name port.name port.number', to('routes')),
  'Ingress.spec.rules[].http.paths[].backend.resource': none('A backend that is not a Service has a note.'),
  ...each('Ingress.spec', 'tls defaultBackend', noted),
  'Ingress.spec.ingressClassName': none('The region has one gateway.'),

  ...metadata('HTTPRoute'),
  'HTTPRoute.spec.hostnames': to('routes'),
  'HTTPRoute.spec.rules[].name': none('Routes have no names.'),
  ...each('HTTPRoute.spec.rules[].matches[].path', 'type value', to('routes')),
  ...each('HTTPRoute.spec.rules[].matches[].headers[]', 'name type value', to('routes')),
  ...each('HTTPRoute.spec.rules[].matches[]', 'method queryParams', noted),
  ...each('HTTPRoute.spec.rules[].backendRefs[]', 'name port weight', to('routes')),
  ...each('HTTPRoute.spec.rules[].backendRefs[]', 'group kind namespace filters', noted),
  ...each('HTTPRoute.spec.rules[]', 'filters timeouts', noted),
  'HTTPRoute.spec.parentRefs': none('The region has one gateway.'),

  ...metadata('HorizontalPodAutoscaler'),
  ...each('HorizontalPodAutoscaler.spec', 'minReplicas maxReplicas', to('`autoscaling`')),
  ...each('HorizontalPodAutoscaler.spec.scaleTargetRef', 'kind name', to('`autoscaling`')),
  'HorizontalPodAutoscaler.spec.scaleTargetRef.apiVersion': none('The kind is enough.'),
  'HorizontalPodAutoscaler.spec.targetCPUUtilizationPercentage': to('`autoscaling`'),
  'HorizontalPodAutoscaler.spec.metrics[].type': to('`autoscaling`'),
  'HorizontalPodAutoscaler.spec.metrics[].resource.name': to('`autoscaling`'),
  'HorizontalPodAutoscaler.spec.metrics[].resource.target.averageUtilization': to('`autoscaling`'),
  'HorizontalPodAutoscaler.spec.metrics[].resource.target.type': noted,
  ...each(
    'HorizontalPodAutoscaler.spec.metrics[]',
    'resource.target.averageValue resource.target.value containerResource external object pods',
    none('The type of the metric has a note.'),
  ),
  'HorizontalPodAutoscaler.spec.behavior': noted,

  ...metadata('PodDisruptionBudget'),
  ...each('PodDisruptionBudget.spec', 'minAvailable maxUnavailable', to('`placement`')),
  'PodDisruptionBudget.spec.selector.matchLabels': to('`placement`'),
  'PodDisruptionBudget.spec.selector.matchExpressions': noted,
  'PodDisruptionBudget.spec.unhealthyPodEvictionPolicy': none(ofCluster),

  ...metadata('PersistentVolumeClaim'),
  ...claimRules('PersistentVolumeClaim.spec'),
  ...metadata('ConfigMap'),
  'ConfigMap.data': to('`variables`, and `volumes` of the type `config-file`'),
  'ConfigMap.binaryData': lost('Files that are not text are not converted.'),
  'ConfigMap.immutable': none(ofCluster),
  ...metadata('Secret'),
  ...each('Secret', 'data stringData', to('`variables` that are secret')),
  ...each('Secret', 'type immutable', none(ofCluster)),
};
