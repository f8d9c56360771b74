import { changed, each, type Grade, info, lost, none, type Rules, some, to } from '../claims.ts';
import { isMapping, type Value } from '../yaml.ts';
import { claimRules, newVolumes, noted, ofCluster, ownNames, podRules, unless } from './pod-rules.ts';

const rollout = 'Trellis replaces instances one after the other.';

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
