import { isGone } from './cluster.ts';
import type { Decisions, Request, Step, Workload, World } from './world.ts';
import { objectOf } from './world.ts';

/** Ends the call of a gateway, with what came of it. */
export function end(world: World, index: number, kind: 'done' | 'failed' | 'handBack'): void {
  const gateway = world.gateways[index]!;
  gateway.outcome = { job: gateway.call!.job, kind };
  gateway.call = null;
}

/** What is not whole was created by a request that may have arrived after a removal. */
const stepOf = (found: Workload | null): Step =>
  found === null ? 'create' : found.isWhole ? 'write' : 'checkRemoval';

/** What the API server has to compare for a request: null if nothing. */
function expectedBy(by: Decisions, found: Workload | null): Request['only'] {
  const { resourceVersion, uid } = by.preconditionOf(found ? objectOf(found) : undefined);
  if (resourceVersion === undefined) return null;
  return { version: Number(resourceVersion), ...(uid !== undefined && { uid: Number(uid) }) };
}

/** What a gateway does next in its call: it looks at the cluster, or sends something. */
export function act(world: World, index: number, by: Decisions, looksAtRemovals: boolean): void {
  const call = world.gateways[index]!.call!;
  const { job, step, found } = call;
  const isRemoval = world.jobs[job - 1]!.action === 'remove';
  const removed = world.removed ?? undefined;
  const only = expectedBy(by, found);
  const send = (expected: Request['only']) => {
    call.isSent = true;
    world.requests.push({ from: index, job, step, only: expected });
  };
  if (step === 'noteRemoval') {
    if (by.mayApply(job, undefined, removed)) send(only && { version: world.removed ?? 0 });
    else end(world, index, 'failed');
  } else if (step === 'checkRemoval') {
    if (by.mayApply(job, undefined, removed)) call.step = 'write';
    else end(world, index, 'failed');
  } else if (step === 'read') {
    call.found = world.workload;
    if (world.workload && !by.mayApply(job, world.workload.job)) end(world, index, 'failed');
    else if (isRemoval && !world.workload) {
      isGone(world, job);
      end(world, index, 'done');
    } else call.step = isRemoval ? 'delete' : looksAtRemovals ? stepOf(world.workload) : 'write';
  } else send(only);
}

/** What a gateway makes of an answer that it has waited for. */
export function answered(world: World, { from, step }: Request, isAccepted: boolean): void {
  const call = world.gateways[from]!.call!;
  call.isSent = false;
  if (step === 'write' && isAccepted) end(world, from, 'done');
  else if (step === 'noteRemoval') call.step = isAccepted ? 'read' : 'noteRemoval';
  else if (step === 'create' && isAccepted) {
    call.found = world.workload;
    call.step = 'checkRemoval';
  } else call.step = 'read';
}
