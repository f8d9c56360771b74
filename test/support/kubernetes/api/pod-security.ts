import { type Kind, kindNamed } from './kinds.ts';
import { forbidden } from './status.ts';
import type { Store } from './store.ts';

const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');

/** How a pod violates the level `baseline`, in the order in which a real server says it. */
function violationsOfBaseline({ spec }: any, isOnly: boolean): string[] {
  const containers: any[] = [...(spec.initContainers ?? []), ...spec.containers];
  const named = (isMeant: (container: any) => boolean) =>
    containers.filter(isMeant).map(({ name }) => name as string);
  const violations: string[] = [];
  const host = ['hostNetwork', 'hostPID', 'hostIPC'].filter((field) => spec[field]);
  if (host.length > 0)
    violations.push(`host namespaces (${host.map((field) => `${field}=true`).join(', ')})`);
  const privileged = named(({ securityContext }) => securityContext?.privileged === true);
  if (privileged.length > 0) {
    violations.push(
      `privileged (container ${quoted(privileged)} must not set securityContext.privileged=true)`,
    );
  }
  const paths = (spec.volumes ?? []).filter(({ hostPath }: any) => hostPath).map(({ name }: any) => name);
  if (isOnly && paths.length > 0) violations.push(`hostPath volumes (volume ${quoted(paths)})`);
  for (const { name, ports = [] } of containers) {
    const used = ports.flatMap(({ hostPort }: any) => hostPort || []);
    if (used.length > 0) violations.push(`hostPort (container "${name}" uses hostPort ${used.join(', ')})`);
  }
  return violations;
}

const allowedVolumes = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

/** How a pod violates the level `restricted` beside `baseline`. */
function violationsOfRestricted({ spec }: any): string[] {
  const containers: any[] = [...(spec.initContainers ?? []), ...spec.containers];
  const pod = spec.securityContext ?? {};
  const without = (has: (context: any) => boolean) =>
    containers.filter(({ securityContext = {} }) => !has(securityContext)).map(({ name }) => name as string);
  const violations: string[] = [];
  const add = (names: readonly string[], told: (names: string) => string) => {
    if (names.length > 0) violations.push(told(quoted(names)));
  };
  add(
    without(({ allowPrivilegeEscalation }) => allowPrivilegeEscalation === false),
    (names) =>
      `allowPrivilegeEscalation != false (container ${names} must set securityContext.allowPrivilegeEscalation=false)`,
  );
  add(
    without(
      ({ capabilities }) =>
        capabilities?.drop?.includes('ALL') &&
        (capabilities.add ?? []).every((each: string) => each === 'NET_BIND_SERVICE'),
    ),
    (names) =>
      `unrestricted capabilities (container ${names} must set securityContext.capabilities.drop=["ALL"])`,
  );
  for (const { name, ...volume } of spec.volumes ?? []) {
    const type = Object.keys(volume).find((each) => !allowedVolumes.includes(each));
    if (type)
      violations.push(`restricted volume types (volume "${name}" uses restricted volume type "${type}")`);
  }
  add(
    without(({ runAsNonRoot = pod.runAsNonRoot }) => runAsNonRoot === true),
    (names) => `runAsNonRoot != true (pod or container ${names} must set securityContext.runAsNonRoot=true)`,
  );
  if (pod.runAsUser === 0) violations.push('runAsUser=0 (pod must not set runAsUser=0)');
  add(
    without(({ runAsUser }) => runAsUser !== 0),
    (names) => `runAsUser=0 (container ${names} must not set runAsUser=0)`,
  );
  add(
    without(({ seccompProfile = pod.seccompProfile }) =>
      ['RuntimeDefault', 'Localhost'].includes(seccompProfile?.type),
    ),
    (names) =>
      `seccompProfile (pod or container ${names} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")`,
  );
  return violations;
}

/** Refuses a new pod that violates the level that its namespace enforces. */
export function requirePodSecurity(store: Store, kind: Kind, pod: any): void {
  if (kind.kind !== 'Pod') return;
  const { name, namespace } = pod.metadata;
  const labels = store.get(kindNamed('Namespace'), undefined, namespace)?.object.metadata.labels ?? {};
  const level = labels['pod-security.kubernetes.io/enforce'];
  if (level !== 'baseline' && level !== 'restricted') return;
  const isRestricted = level === 'restricted';
  const violations = [
    ...violationsOfBaseline(pod, !isRestricted),
    ...(isRestricted ? violationsOfRestricted(pod) : []),
  ];
  if (violations.length === 0) return;
  const version = labels['pod-security.kubernetes.io/enforce-version'] ?? 'latest';
  throw forbidden(kind, name, `violates PodSecurity "${level}:${version}": ${violations.join(', ')}`);
}
