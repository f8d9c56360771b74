import { arrive } from './cluster.ts';
import { act, answered, end } from './gateway.ts';
import type { Action, Call, Decisions, Job, World } from './world.ts';

const leaseMs = 6;
/** The time moves by half a lease. */
const tickMs = 3;
const names = ['one', 'other'];

export interface Scene {
  /** What the first job does and what the one that supersedes it does. */
  actions: [Action, Action];
  /** How often the time moves. */
  ticks: number;
  /** Whether a workload is created in two steps, with a look at removals between them. */
  looksAtRemovals: boolean;
  /** Whether the component is in the cluster at the beginning. */
  isThere: boolean;
}

const newJob = (action: Action, status: Job['status']): Job => ({
  action,
  status,
  owner: null,
  untilMs: null,
});

const begin = ({ actions: [first, second], isThere }: Scene): World => ({
  nowMs: 0,
  hasDatabase: true,
  wasAway: false,
  jobs: [newJob(first, 'pending'), newJob(second, 'absent')],
  gateways: [
    { call: null, outcome: null },
    { call: null, outcome: null },
  ],
  workload: isThere ? { uid: 1, version: 2, job: 0, isWhole: true } : null,
  removed: null,
  versions: 1,
  requests: [],
  newest: 0,
  effects: [],
  violation: null,
});

/** The worlds that one step leads to. */
function next(text: string, by: Decisions, scene: Scene): World[] {
  const world = JSON.parse(text) as World;
  const worlds: World[] = [];
  const step = (change: (copy: World) => void) => {
    const copy = JSON.parse(text) as World;
    change(copy);
    worlds.push(copy);
  };
  const leftMs = ({ renewedAtMs, suspendedMs }: Call, { nowMs }: World) =>
    by.msLeft(renewedAtMs, leaseMs, nowMs - suspendedMs);
  const open = ({ status }: Job) => status === 'pending' || status === 'running';

  if (world.nowMs < scene.ticks * tickMs) {
    step((copy) => {
      copy.nowMs += tickMs;
    });
    // The machine of the first gateway is suspended meanwhile.
    if (world.gateways[0]!.call) {
      step((copy) => {
        copy.nowMs += tickMs;
        copy.gateways[0]!.call!.suspendedMs += tickMs;
      });
    }
  }
  if (world.hasDatabase && !world.wasAway) {
    step((copy) => {
      copy.hasDatabase = false;
    });
  }
  if (!world.hasDatabase) {
    step((copy) => {
      copy.hasDatabase = true;
      copy.wasAway = true;
    });
  }
  // A user wants something else: the work on the first job is cancelled, and its call keeps its lease.
  if (world.jobs[1]!.status === 'absent') {
    step((copy) => {
      copy.jobs[1]!.status = 'pending';
      if (open(copy.jobs[0]!)) copy.jobs[0]!.status = 'cancelled';
    });
  }
  world.requests.forEach((request, index) => {
    step((copy) => {
      copy.requests.splice(index, 1);
      const isAccepted = arrive(copy, request);
      const { call } = copy.gateways[request.from]!;
      // Nobody waits for what was sent before the call was given up.
      if (call?.isSent && call.job === request.job && call.step === request.step) {
        answered(copy, request, isAccepted);
      }
    });
  });
  world.gateways.forEach(({ call, outcome }, index) => {
    const self = names[index]!;
    const hasDatabase = index > 0 || world.hasDatabase;
    if (hasDatabase && !call && !outcome) {
      world.jobs.forEach((job, at) => {
        const others = world.jobs.filter((_, each) => each !== at);
        if (!open(job) || !by.mayTakeOver(job, world.nowMs) || !by.mayStart(others, world.nowMs)) return;
        step((copy) => {
          const untilMs = copy.nowMs + leaseMs;
          Object.assign(copy.jobs[at]!, { status: 'running', owner: self, untilMs });
          const first = job.action === 'remove' ? 'noteRemoval' : 'read';
          const state = { found: null, renewedAtMs: copy.nowMs, suspendedMs: 0, isSent: false };
          copy.gateways[index]!.call = { job: at + 1, step: first, ...state };
        });
      });
    }
    if (hasDatabase && outcome) {
      step((copy) => {
        copy.gateways[index]!.outcome = null;
        const job = copy.jobs[outcome.job - 1]!;
        if (!by.maySettle(job, self)) return;
        Object.assign(job, { owner: null, untilMs: null });
        if (!open(job) || outcome.kind === 'handBack') return;
        job.status = outcome.kind === 'done' ? 'succeeded' : 'failed';
        if (outcome.kind === 'done' && !copy.effects.includes(outcome.job)) {
          copy.violation ??= `job ${outcome.job} succeeded and had no effect`;
        }
      });
    }
    if (!call) return;
    if (hasDatabase) {
      step((copy) => {
        const job = copy.jobs[call.job - 1]!;
        if (by.mayRenew(job, job.status === 'running', self)) {
          job.untilMs = copy.nowMs + leaseMs;
          Object.assign(copy.gateways[index]!.call!, { renewedAtMs: copy.nowMs, suspendedMs: 0 });
        } else end(copy, index, 'handBack');
      });
    }
    if (leftMs(call, world) <= 0) step((copy) => end(copy, index, 'handBack'));
    else if (!call.isSent) step((copy) => act(copy, index, by, scene.looksAtRemovals));
  });
  for (const each of worlds) requireOne(each, leftMs);
  return worlds;
}

/** No two gateways may go on by their own clocks, unless a machine was suspended, which only the cluster can notice. */
function requireOne(world: World, leftMs: (call: Call, world: World) => number): void {
  const going = world.gateways.filter(
    ({ call }) => call && call.suspendedMs === 0 && leftMs(call, world) > 0,
  );
  if (going.length > 1) world.violation ??= 'two gateways work on the component';
}

export interface Found {
  states: number;
  violation: string | null;
  /** The jobs that succeeded in some state, as a check that the search gets there. */
  succeeded: Set<number>;
}

/** Explores every order of steps, breadth first, until a state violates what must hold. */
export function search(by: Decisions, scene: Scene): Found {
  const first = JSON.stringify(begin(scene));
  const seen = new Set([first]);
  const succeeded = new Set<number>();
  for (let level = [first]; level.length > 0; ) {
    const following: string[] = [];
    for (const text of level) {
      for (const world of next(text, by, scene)) {
        const key = JSON.stringify(world);
        if (seen.has(key)) continue;
        seen.add(key);
        if (world.violation) return { states: seen.size, violation: world.violation, succeeded };
        for (const [at, { status }] of world.jobs.entries())
          if (status === 'succeeded') succeeded.add(at + 1);
        following.push(key);
      }
    }
    level = following;
  }
  return { states: seen.size, violation: null, succeeded };
}
