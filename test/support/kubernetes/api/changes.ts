import { amountOf } from './defaults.ts';
import type { Kind } from './kinds.ts';
import { type Cause, forbidden, invalidValue, refused } from './status.ts';
import { same } from './validation.ts';
import { jobSpecCauses } from './workload-validation.ts';

const isImmutable = 'field is immutable';
const text = JSON.stringify;

const mutableOfStatefulSet = ['replicas', 'ordinals', 'template', 'updateStrategy'].concat(
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
  'revisionHistoryLimit',
);

function statefulSet(before: any, after: any): Cause[] {
  const fixed = (spec: any) =>
    Object.fromEntries(Object.entries(spec).filter(([name]) => !mutableOfStatefulSet.includes(name)));
  if (same(fixed(before.spec), fixed(after.spec))) return [];
  return [
    refused(
      'spec',
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ),
  ];
}

function claim(before: any, after: any): Cause[] {
  const sizeOf = ({ spec }: any) => amountOf(spec.resources?.requests?.storage);
  const isBound = before.status?.phase === 'Bound';
  const causes: Cause[] = [];
  const rest = ({ spec }: any, isSizeKept: boolean) => ({
    ...spec,
    storageClassName: before.spec.storageClassName ? spec.storageClassName : undefined,
    resources: isSizeKept ? spec.resources : undefined,
  });
  if (!same(rest(before, !isBound), rest(after, !isBound))) {
    causes.push(
      refused('spec', 'spec is immutable after creation except resources.requests for bound claims'),
    );
  }
  if (sizeOf(after) < sizeOf(before)) {
    causes.push(refused('spec.resources.requests.storage', 'field can not be less than previous value'));
  }
  return causes;
}

const byKind: { [kind: string]: (before: any, after: any) => Cause[] } = {
  Deployment: (before, after) =>
    same(before.spec.selector, after.spec.selector)
      ? []
      : [invalidValue('spec.selector', text(after.spec.selector), isImmutable)],
  StatefulSet: statefulSet,
  Job: (before, after) => [
    ...jobSpecCauses(after.spec),
    ...['completions', 'completionMode', 'selector', 'template'].flatMap((name) =>
      same(before.spec[name], after.spec[name])
        ? []
        : [invalidValue(`spec.${name}`, text(after.spec[name]), isImmutable)],
    ),
  ],
  PersistentVolumeClaim: claim,
  Secret: (before, after) =>
    before.type === after.type ? [] : [invalidValue('type', text(after.type), isImmutable)],
  ConfigMap: (before, after) =>
    before.immutable && !same(before.data, after.data)
      ? [refused('data', 'field is immutable when `immutable` is set')]
      : [],
  Service: (before, after) =>
    before.spec.clusterIP &&
    after.spec.clusterIP !== before.spec.clusterIP &&
    after.spec.type !== 'ExternalName'
      ? [
          invalidValue(
            'spec.clusterIPs[0]',
            `[]string{${text(after.spec.clusterIP)}}`,
            'may not change once set',
          ),
        ]
      : [],
  Pod: (before, after) => {
    const fixed = ({ spec }: any) => ({
      ...spec,
      containers: spec.containers.map(({ image, ...rest }: any) => rest),
    });
    return same(fixed(before), fixed(after))
      ? []
      : [refused('spec', 'pod updates may not change fields other than `spec.containers[*].image`')];
  },
};

/** What of a change is not allowed. Problems of the object itself are checked elsewhere. */
export function problemsOfChange(kind: Kind, before: any, after: any): Cause[] {
  const causes: Cause[] = [];
  if (after.metadata.uid !== before.metadata.uid) {
    const cause = invalidValue('metadata.uid', text(after.metadata.uid), isImmutable);
    return [cause, cause];
  }
  if (before.metadata.deletionTimestamp) {
    const added = (after.metadata.finalizers ?? []).filter(
      (each: string) => !before.metadata.finalizers?.includes(each),
    );
    const why = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map(text)}}`;
    const cause = refused('metadata.finalizers', why);
    if (added.length > 0) return [cause, cause];
  }
  causes.push(...(byKind[kind.kind]?.(before, after) ?? []));
  return causes;
}

/** A bound claim grows only in a class that allows it. */
export function requireExpandable(
  kind: Kind,
  before: any,
  after: any,
  expandable: ReadonlySet<string>,
): void {
  if (kind.kind !== 'PersistentVolumeClaim' || before.status?.phase !== 'Bound') return;
  const sizeOf = ({ spec }: any) => amountOf(spec.resources?.requests?.storage);
  if (sizeOf(after) <= sizeOf(before) || expandable.has(before.spec.storageClassName)) return;
  throw forbidden(
    kind,
    before.metadata.name,
    'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
  );
}
