import { mayApply } from '../../../../db/work/protocol.ts';
import { RegionWorkError } from '../../driver.ts';
import { subjectOf } from '../cluster/errors.ts';
import { annotations, type KubernetesObject, withAnnotations } from '../objects/objects.ts';

/** The version of no object: what is applied with it must not exist yet. */
const noVersion = '1';

/** The precondition of an apply, which the API server checks: the object is still the one that was read, or there is none. */
export const preconditionOf = (
  current: KubernetesObject | undefined,
): Partial<KubernetesObject['metadata']> =>
  current
    ? { uid: current.metadata.uid!, resourceVersion: current.metadata.resourceVersion! }
    : { resourceVersion: noVersion };

/** The number of the last job that has written an object. Undefined if none is noted that can be read. */
export function jobOf(object: Pick<KubernetesObject, 'metadata'> | undefined): number | undefined {
  const text = object?.metadata.annotations?.[annotations.job];
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** An object with the number of a job. It is not part of the hash of what is applied. */
export const withJob = (object: KubernetesObject, job: number | undefined): KubernetesObject =>
  job === undefined ? object : withAnnotations(object, { [annotations.job]: String(job) });

/** The later of two jobs, of which there may be none. */
export const laterJob = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);

/** Refuses to write over what a later job has written, or to bring back what it has removed. */
export function requireLatest(
  { job }: { job?: number },
  what: string,
  written: number | undefined,
  removed?: number | undefined,
): void {
  if (job === undefined || mayApply(job, written, removed)) return;
  throw new RegionWorkError(
    `${what} by a later job. If the database was restored from a backup, reset the fence of the region.`,
    { isPermanent: true },
  );
}

/** Refuses to write over an object that a later job has written. */
export const requireLatestOf = (scope: { job?: number }, object: KubernetesObject): void =>
  requireLatest(scope, `${subjectOf(object)} was written`, jobOf(object));
