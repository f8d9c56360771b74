import { changed, each, info, lost, none, type Rules, some, to } from '../claims.ts';
import { isMapping, type Value } from '../yaml.ts';

const ofCluster = 'The cluster decides it.';
const ownNames = 'Objects get labels and annotations of their own.';
const told = 'It is told for each.';

const probeRules = (path: string): Rules => ({
  ...each(path, 'httpGet tcpSocket grpc exec', to('`probes`')),
  ...each(
    path,
    'initialDelaySeconds periodSeconds timeoutSeconds failureThreshold successThreshold',
    to('`probes`'),
  ),
  [`${path}.terminationGracePeriodSeconds`]: changed('Instances have one grace period.'),
});

/** What the kinds that have pods have below their template. Other containers are told by their names. */
function podRules(kind: string): Rules {
  const pod = `${kind}.spec.template.spec`;
  const container = `${pod}.containers[]`;
  return {
    ...each(kind, 'apiVersion kind metadata status', none(ownNames)),
    [`${kind}.spec.replicas`]: to('`replicas`'),
    ...each(`${kind}.spec`, 'selector template.metadata', none(ownNames)),
    [`${kind}.spec.paused`]: info('Rollouts are not paused.'),
    ...each(`${kind}.spec`, 'minReadySeconds progressDeadlineSeconds revisionHistoryLimit', none(ofCluster)),

    ...each(pod, 'nodeSelector tolerations topologySpreadConstraints', to('`placement`')),
    [`${pod}.affinity`]: changed('Write the nodes as the `placement` of the component.'),
    [`${pod}.volumes`]: to('`volumes`'),
    [`${pod}.initContainers`]: changed('Commands before the start of instances are not run.'),
    ...each(pod, 'hostNetwork hostPID hostIPC', lost('Nothing of the host is given to instances.')),
    ...each(pod, 'hostAliases dnsConfig', changed('Names are resolved as the cluster does it.')),
    [`${pod}.dnsPolicy`]: none('Names are resolved as the cluster does it.'),
    [`${pod}.imagePullSecrets`]: changed('Write the credentials of the registry for the team.'),
    ...each(pod, 'serviceAccountName serviceAccount', {
      told: [
        {
          grade: 'CHANGED',
          reason: 'Instances have no rights in the cluster.',
          when: (value) => value !== 'default',
        },
      ],
    }),
    ...each(
      pod,
      'priorityClassName runtimeClassName hostname subdomain shareProcessNamespace',
      changed(ofCluster),
    ),
    ...each(
      pod,
      'automountServiceAccountToken enableServiceLinks restartPolicy schedulerName priority preemptionPolicy os nodeName hostUsers',
      none(ofCluster),
    ),
    [`${pod}.terminationGracePeriodSeconds`]: to('`terminationGracePeriodSeconds`'),
    [`${pod}.securityContext`]: changed('Only `runAsNonRoot` without a user is taken over.'),

    [`${container}.name`]: none('A component has one container.'),
    [`${container}.image`]: to('`image`'),
    [`${container}.args`]: to('`command`'),
    [`${container}.command`]: to('`entrypoint`'),
    ...each(container, 'env envFrom', to('`variables`')),
    [`${container}.ports`]: to('`ports`'),
    [`${container}.volumeMounts`]: to('`volumes`'),
    ...each(`${container}.resources.requests`, 'cpu memory', to('`cpuMillicores` and `memoryMiB`')),
    ...each(`${container}.resources.limits`, 'cpu memory', to('`cpuLimitMillicores` and `memoryLimitMiB`')),
    ...each(`${container}.resources`, 'requests.* limits.*', changed('Instances have CPU and memory alone.')),
    ...probeRules(`${container}.livenessProbe`),
    ...probeRules(`${container}.readinessProbe`),
    ...probeRules(`${container}.startupProbe`),
    [`${container}.workingDir`]: changed('Instances have what the image says.'),
    [`${container}.imagePullPolicy`]: some(
      [
        {
          grade: 'INFO',
          reason: 'Deploys look for the image of a tag.',
          when: (value) => value !== 'IfNotPresent',
        },
      ],
      'Deploys look for the image of a tag.',
    ),
    [`${container}.lifecycle`]: changed('Commands at the start and the end of instances are not run.'),
    [`${container}.securityContext`]: changed('Only `runAsNonRoot` without a user is taken over.'),
    [`${container}.volumeDevices`]: lost('Devices are not mounted.'),
    ...each(
      container,
      'terminationMessagePath terminationMessagePolicy stdin stdinOnce tty resizePolicy',
      none(ofCluster),
    ),
  };
}

/** Annotations by which a controller treats requests otherwise. */
const isOfController = (value: Value) =>
  isMapping(value) &&
  Object.keys(value).some((name) => !/^(kubectl\.kubernetes\.io|meta\.helm\.sh)\//.test(name));

const metadata = (kind: string): Rules => each(kind, 'apiVersion kind metadata status', none(ownNames));

/** What becomes of each path of the objects of Kubernetes that are imported. */
export const kubernetesRules: Rules = {
  ...podRules('Deployment'),
  'Deployment.spec.strategy': some(
    [
      {
        grade: 'CHANGED',
        reason: 'Trellis replaces instances one after the other.',
        when: (value) => isMapping(value) && value.type === 'Recreate',
      },
    ],
    'Trellis replaces instances one after the other.',
  ),
  ...podRules('StatefulSet'),
  'StatefulSet.spec.volumeClaimTemplates': to('`volumes`'),
  ...each('StatefulSet.spec', 'podManagementPolicy updateStrategy', none(ofCluster)),
  ...each('StatefulSet.spec', 'serviceName ordinals persistentVolumeClaimRetentionPolicy', none(ofCluster)),

  ...metadata('Service'),
  ...each('Service.spec', 'selector ports', to('`ports`, open inside')),
  'Service.spec.type': none('It is told for types that are reached from outside.'),
  'Service.spec.externalName': lost('Names of others do not become names of the application.'),
  'Service.spec.externalIPs': lost('The gateway gives ports their outer addresses.'),
  ...each('Service.spec', 'sessionAffinity sessionAffinityConfig', {
    told: [
      {
        grade: 'CHANGED',
        reason: 'Requests of a client go to any instance.',
        when: (value) => value !== 'None',
      },
    ],
  }),
  ...each(
    'Service.spec',
    'clusterIP clusterIPs ipFamilies ipFamilyPolicy internalTrafficPolicy externalTrafficPolicy publishNotReadyAddresses allocateLoadBalancerNodePorts loadBalancerIP loadBalancerClass loadBalancerSourceRanges healthCheckNodePort trafficDistribution',
    none(ofCluster),
  ),

  ...each('Ingress', 'apiVersion kind status', none(ownNames)),
  'Ingress.metadata.annotations': some(
    [
      {
        grade: 'CHANGED',
        reason: 'What annotations tell the controller is not taken over.',
        when: isOfController,
      },
    ],
    ownNames,
  ),
  'Ingress.metadata.*': none(ownNames),
  'Ingress.spec.rules': to('routes'),
  ...each('Ingress.spec', 'tls defaultBackend', none(told)),
  'Ingress.spec.ingressClassName': none('The region has one gateway.'),

  ...metadata('HTTPRoute'),
  ...each('HTTPRoute.spec', 'hostnames rules', to('routes')),
  'HTTPRoute.spec.parentRefs': none('The region has one gateway.'),

  ...metadata('HorizontalPodAutoscaler'),
  'HorizontalPodAutoscaler.spec': to('`autoscaling`'),
  ...metadata('PersistentVolumeClaim'),
  ...each('PersistentVolumeClaim.spec', 'accessModes resources', to('`volumes`')),
  ...each('PersistentVolumeClaim.spec', 'storageClassName volumeMode volumeName', none(ofCluster)),
  ...each(
    'PersistentVolumeClaim.spec',
    'dataSource dataSourceRef selector',
    lost('Volumes are empty at first.'),
  ),
  ...metadata('ConfigMap'),
  'ConfigMap.data': to('`variables`, and `volumes` of the type `config-file`'),
  'ConfigMap.binaryData': lost('Files that are not text are not taken over.'),
  'ConfigMap.immutable': none(ofCluster),
  ...metadata('Secret'),
  ...each('Secret', 'data stringData', to('`variables` that are secret')),
  ...each('Secret', 'type immutable', none(ofCluster)),
};
