import type { Request, World } from './world.ts';

/** Whether the API server finds what a request expects. Versions of objects begin above the one that no object has. */
function isExpected({ workload }: World, { only }: Request): boolean {
  if (only === null) return true;
  if (!workload) return only.uid === undefined;
  return workload.version === only.version && (only.uid ?? workload.uid) === workload.uid;
}

/** An effect of a job in the cluster, which no earlier job may have after it. */
function takesEffect(world: World, job: number, what: string): void {
  if (job < world.newest) world.violation ??= `job ${job} ${what} after job ${world.newest}`;
  world.newest = Math.max(world.newest, job);
  if (!world.effects.includes(job)) world.effects.push(job);
}

/** Carries out a request. Returns whether the API server has accepted it. */
export function arrive(world: World, request: Request): boolean {
  const { job, step } = request;
  if (step === 'noteRemoval') {
    // Compared with what was read, as every other write is.
    if (request.only !== null && request.only.version !== (world.removed ?? 0)) return false;
    world.removed = job;
    return true;
  }
  if (!isExpected(world, request)) return false;
  if (step === 'delete') {
    if (world.workload && world.workload.job > job) {
      world.violation ??= `job ${job} removes what job ${world.workload.job} has written`;
    }
    world.workload = null;
    return true;
  }
  const isWhole = step === 'write';
  // An apply creates what is missing, unless it names what must be there.
  const uid = world.workload?.uid ?? world.versions + 1;
  world.versions++;
  world.workload = { uid, version: world.versions + 1, job, isWhole };
  if (isWhole) takesEffect(world, job, 'is applied');
  return true;
}

/** A removal is over when it has found nothing. */
export const isGone = (world: World, job: number): void => takesEffect(world, job, 'is over');
