import { tracking } from '../api/defaults.ts';
import { kindNamed } from '../api/kinds.ts';
import { now, type Store } from '../api/store.ts';
import { counts, createPod, ownedBy, remove } from './workloads.ts';

/** When each Job was started, by the clock of the cluster. */
const startedAt = new WeakMap<Store, Map<string, number>>();

const isOver = ({ status }: any) => ['Succeeded', 'Failed'].includes(status.phase);

/** Without vowels and what looks like them, as names are generated. */
const letters = 'bcdfghjklmnpqrstvwxz2456789';
const maxBaseLength = 58;
const generatedPart = () =>
  Array.from({ length: 5 }, () => letters[Math.floor(Math.random() * letters.length)]).join('');

/** Starts the pods of Jobs, counts those that have ended, and ends Jobs. */
export function runJobs(store: Store): void {
  const jobs = store.list(kindNamed('Job'));
  for (const job of jobs) runJob(store, job);
  const uids = new Set(jobs.map(({ metadata }) => metadata.uid));
  const isOwned = ({ metadata }: any) => metadata.ownerReferences?.some(({ uid }: any) => uids.has(uid));
  const isCounted = ({ metadata }: any) => metadata.finalizers?.includes(tracking);
  const counted = [...store.all(kindNamed('Pod'))].filter(isCounted);
  for (const pod of counted) if (!isOwned(pod)) letGo(store, pod);
}

/** Lets a pod go that is counted. */
function letGo(store: Store, pod: any): void {
  const { finalizers = [], ...metadata } = pod.metadata;
  if (!finalizers.includes(tracking)) return;
  const left = finalizers.filter((each: string) => each !== tracking);
  store.save(kindNamed('Pod'), {
    ...pod,
    metadata: { ...metadata, ...(left.length && { finalizers: left }) },
  });
}

const finished = ({ status }: any) =>
  status.conditions?.some(({ type }: any) => ['Complete', 'Failed'].includes(type)) ?? false;

function runJob(store: Store, job: any): unknown {
  const kind = kindNamed('Job');
  const { spec, status, metadata } = job;
  const pods = ownedBy(store, 'Pod', job);
  for (const pod of pods) if (isOver(pod) || pod.metadata.deletionTimestamp) letGo(store, pod);
  if (finished(job) || metadata.deletionTimestamp || spec.suspend) return undefined;
  const starts = startedAt.get(store) ?? new Map<string, number>();
  startedAt.set(store, starts);
  const since = starts.get(metadata.uid) ?? store.clock.now;
  starts.set(metadata.uid, since);
  const active = pods.filter((pod) => !isOver(pod) && !pod.metadata.deletionTimestamp);
  const [succeeded, failed] = ['Succeeded', 'Failed'].map(
    (phase) => pods.filter((pod) => pod.status.phase === phase).length,
  ) as [number, number];
  const save = (more: object, counted = { active: active.length, succeeded, failed }) =>
    store.save(kind, {
      ...job,
      status: {
        startTime: status.startTime ?? now(),
        ...counts(counted),
        uncountedTerminatedPods: {},
        ready: counted.active,
        ...more,
      },
    });
  const end = (type: string, reason?: string, message?: string) => {
    for (const pod of active) remove(store, 'Pod', pod);
    const condition = { type, status: 'True', lastProbeTime: now(), lastTransitionTime: now() };
    const conditions = [{ ...condition, ...(reason && { reason, message }) }];
    const more = type === 'Complete' ? { conditions, completionTime: now() } : { conditions };
    return save(more, { active: 0, succeeded, failed: failed + active.length });
  };
  if (succeeded >= spec.completions) return end('Complete');
  if (failed > spec.backoffLimit) {
    return end('Failed', 'BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  }
  const deadline = spec.activeDeadlineSeconds;
  if (deadline !== undefined && store.clock.hasPassed(since, deadline)) {
    return end('Failed', 'DeadlineExceeded', 'Job was active longer than specified deadline');
  }
  save({});
  if (active.length > 0) return undefined;
  const name = `${`${metadata.name}-`.slice(0, maxBaseLength)}${generatedPart()}`;
  if (createPod(store, [kind, job], name, spec.template, {}) !== undefined) return undefined;
  const pod = store.get(kindNamed('Pod'), metadata.namespace, name)!.object;
  return store.save(kindNamed('Pod'), { ...pod, metadata: { ...pod.metadata, finalizers: [tracking] } });
}
