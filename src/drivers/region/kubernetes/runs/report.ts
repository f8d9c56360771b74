import type { RunReport } from '../../runs.ts';
import type { EventsOf } from '../cluster/pod-events.ts';
import { troubleOf } from '../instances/trouble.ts';
import { conditionsOf } from '../objects/conditions.ts';
import type { KubernetesObject } from '../objects/objects.ts';

const timeOf = (text: string | undefined) => (text === undefined ? null : new Date(text));

/** The condition of a Job that is over. */
const endOf = (job: KubernetesObject) =>
  conditionsOf(job).find(({ type, status }) => ['Complete', 'Failed'].includes(type) && status === 'True');

export const hasFinished = (job: KubernetesObject): boolean => endOf(job) !== undefined;

/** Why a container has ended, such as `OOMKilled`, with what the node says of it. */
const sentenceOf = ({ reason, message }: { reason: string; message?: string }) =>
  message ? `${reason}: ${message}` : reason;

/** How a run is, by its Job and the pod of that. */
export function reportOf(
  job: KubernetesObject | undefined,
  pods: readonly KubernetesObject[],
  eventsOf: EventsOf = () => [],
): RunReport {
  const [pod] = pods;
  const state = pod?.status?.containerStatuses?.[0]?.state ?? {};
  const { running, terminated } = state;
  const startedAt = timeOf(running?.startedAt ?? terminated?.startedAt);
  const report: RunReport = { phase: 'pending', exitCode: null, startedAt, endedAt: null, reason: null };
  if (!job) return { ...report, phase: 'gone' };
  const ended = endOf(job);
  if (ended?.reason === 'DeadlineExceeded') {
    return { ...report, phase: 'timedOut', endedAt: timeOf(ended.lastTransitionTime) };
  }
  const exitCode: number | null = terminated?.exitCode ?? null;
  const endedAt = timeOf(terminated?.finishedAt ?? ended?.lastTransitionTime);
  if (ended?.type === 'Complete') return { ...report, phase: 'succeeded', exitCode: exitCode ?? 0, endedAt };
  // The Job says that it has failed some seconds later. A pod that is deleted may have been ended by the deadline.
  const hasFailed = pod?.status?.phase === 'Failed' && !pod.metadata.deletionTimestamp;
  if (ended || hasFailed) {
    const why =
      pod?.status?.message ?? pod?.status?.reason ?? (exitCode === null ? ended?.message : undefined);
    const isOther = terminated?.reason && !['Error', 'Completed'].includes(terminated.reason);
    const reason: string | null = isOther ? sentenceOf(terminated) : (why ?? null);
    return { ...report, phase: 'failed', exitCode, endedAt, reason };
  }
  if (running || terminated) return { ...report, phase: 'running' };
  return { ...report, reason: pod ? (troubleOf(pod, eventsOf(pod))?.reason ?? null) : null };
}
