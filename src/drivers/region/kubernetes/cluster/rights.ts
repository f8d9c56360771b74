const read = ['get', 'list', 'watch'];
const apply = [...read, 'create', 'patch'];
const all = [...apply, 'delete'];

/** The permissions that the account of a region needs. `docs/deploy.md` has them as a ClusterRole. */
export const neededRights: readonly { group: string; resources: string[]; verbs: string[] }[] = [
  { group: '', resources: ['namespaces'], verbs: all },
  { group: '', resources: ['resourcequotas'], verbs: all },
  { group: '', resources: ['configmaps', 'secrets', 'services'], verbs: all },
  { group: '', resources: ['persistentvolumeclaims'], verbs: all },
  { group: '', resources: ['pods'], verbs: ['list', 'watch', 'delete'] },
  { group: '', resources: ['pods/log'], verbs: ['get'] },
  { group: '', resources: ['events'], verbs: ['list'] },
  { group: '', resources: ['nodes'], verbs: ['list'] },
  { group: 'apps', resources: ['deployments', 'statefulsets'], verbs: all },
  { group: 'apps', resources: ['daemonsets'], verbs: ['list'] },
  { group: 'batch', resources: ['jobs'], verbs: ['get', 'list', 'create', 'patch', 'delete'] },
  { group: 'batch', resources: ['cronjobs'], verbs: ['list'] },
  { group: 'autoscaling', resources: ['horizontalpodautoscalers'], verbs: all },
  { group: 'policy', resources: ['poddisruptionbudgets'], verbs: all },
  { group: 'networking.k8s.io', resources: ['ingresses'], verbs: all },
  { group: 'networking.k8s.io', resources: ['networkpolicies'], verbs: all },
  { group: 'gateway.networking.k8s.io', resources: ['gateways', 'httproutes', 'tcproutes'], verbs: all },
  { group: 'gateway.networking.k8s.io', resources: ['referencegrants'], verbs: apply },
  { group: 'cert-manager.io', resources: ['certificates'], verbs: all },
  { group: 'metrics.k8s.io', resources: ['nodes', 'pods'], verbs: ['list'] },
  {
    group: 'snapshot.storage.k8s.io',
    resources: ['volumesnapshots'],
    verbs: ['list', 'create', 'patch', 'delete'],
  },
  {
    group: 'snapshot.storage.k8s.io',
    resources: ['volumesnapshotcontents'],
    verbs: ['get', 'list', 'create', 'patch', 'delete'],
  },
];
