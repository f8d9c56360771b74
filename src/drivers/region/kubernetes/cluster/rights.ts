/** The permissions that the account of a region needs. `docs/deploy.md` has them as a ClusterRole. */
export const neededRights: readonly { group: string; resources: string[]; verbs: string[] }[] = [
  { group: '', resources: ['namespaces'], verbs: ['get', 'list', 'watch', 'create', 'patch'] },
  {
    group: '',
    resources: ['resourcequotas'],
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  },
  {
    group: '',
    resources: ['configmaps', 'secrets', 'services'],
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  },
  {
    group: '',
    resources: ['persistentvolumeclaims'],
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  },
  { group: '', resources: ['pods'], verbs: ['list', 'watch', 'delete'] },
  { group: '', resources: ['pods/log'], verbs: ['get'] },
  { group: '', resources: ['events'], verbs: ['list'] },
  { group: '', resources: ['nodes'], verbs: ['list'] },
  {
    group: 'apps',
    resources: ['deployments', 'statefulsets'],
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  },
  { group: 'batch', resources: ['jobs'], verbs: ['get', 'list', 'create', 'patch', 'delete'] },
  {
    group: 'autoscaling',
    resources: ['horizontalpodautoscalers'],
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  },
  {
    group: 'policy',
    resources: ['poddisruptionbudgets'],
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  },
  {
    group: 'networking.k8s.io',
    resources: ['ingresses'],
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  },
  {
    group: 'networking.k8s.io',
    resources: ['networkpolicies'],
    verbs: ['get', 'list', 'watch', 'create', 'patch'],
  },
  {
    group: 'gateway.networking.k8s.io',
    resources: ['gateways', 'httproutes', 'tcproutes'],
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  },
  {
    group: 'cert-manager.io',
    resources: ['certificates'],
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  },
  { group: 'metrics.k8s.io', resources: ['nodes', 'pods'], verbs: ['list'] },
  {
    group: 'snapshot.storage.k8s.io',
    resources: ['volumesnapshots'],
    verbs: ['list', 'create', 'patch', 'delete'],
  },
];
