import { createHash } from 'node:crypto';
import { declaredFigures } from '../declared.ts';
import type { DesiredComponent } from '../desired.ts';
import {
  type ComponentKnowledge,
  done,
  type Progress,
  type RegionDriver,
  RegionWorkError,
  type Work,
} from '../driver.ts';
import { statusAfterWork } from '../last-work.ts';
import { simulatedCertificates } from './certificates.ts';
import { crashOf, instancesOf, simulatedInstances } from './instances.ts';
import { simulatedNamespaces } from './namespace.ts';
import { simulatedObjects } from './objects.ts';
import { simulatedRuns } from './runs.ts';
import { simulatedSnapshots } from './snapshots.ts';
import { simulatedUsage } from './usage.ts';

export interface SimulatedOptions {
  /** How long components take to start, to stop and to be removed. */
  delayMs: number;
  /** The share of calls that fail and are retried, in percent. */
  failurePercent: number;
  /** Whether each region has objects that a component has left which was deleted long ago. */
  hasLeftovers: boolean;
}

export const simulatedDefaults: SimulatedOptions = {
  delayMs: 3_000,
  failurePercent: 0,
  hasLeftovers: false,
};

/** Components whose image has such a tag take a hundred times as long to start. */
const isSlow = (image: string) => /:[^/@]*slow[^/@]*(@|$)/i.test(image);

/** A number from 0 to 99 that is the same for the same call on every gateway. */
const chance = ({ id, attempt }: Work) =>
  createHash('sha256').update(`${id}:${attempt}`).digest().readUInt32BE() % 100;

/** Without work in progress, the status follows from the last work. */
const statusOf = ({ deployState, lastWork }: ComponentKnowledge): string =>
  lastWork ? statusAfterWork(lastWork) : deployState;

/**
 * A driver for demos and tests, without a cluster: components take a while to start, stop and disappear. It remembers
 * nothing: all is derived from what the database knows, so that gateways agree and a restart changes nothing.
 */
export function createSimulatedRegion(options: Partial<SimulatedOptions> = {}): RegionDriver {
  const { delayMs, failurePercent, hasLeftovers } = { ...simulatedDefaults, ...options };

  /** Whether the work is over; refuses some of the calls. */
  function progress(work: Work, signal: AbortSignal, factor = 1): Progress {
    signal.throwIfAborted();
    if (chance(work) < failurePercent) throw new RegionWorkError('The simulated cluster is busy.');
    const leftMs = delayMs * factor - work.elapsedMs;
    return leftMs > 0 ? { isDone: false, checkAgainMs: leftMs } : done;
  }

  function start(component: DesiredComponent, work: Work, signal: AbortSignal): Progress {
    const isRun = component.state === 'running';
    const answer = progress(work, signal, isRun && isSlow(component.image) ? 100 : 1);
    const crash = crashOf(component.image);
    if (answer.isDone && isRun && crash !== null) {
      throw new RegionWorkError(crash, { isPermanent: true, hasCrashed: true });
    }
    return answer;
  }

  return {
    name: 'simulated',
    instances: simulatedInstances,
    usage: simulatedUsage(instancesOf),
    namespaces: simulatedNamespaces,
    certificates: simulatedCertificates,
    snapshots: simulatedSnapshots(),
    objects: simulatedObjects(hasLeftovers),
    runs: simulatedRuns(delayMs),
    figures: async (regions) => declaredFigures(regions),
    observe: async (components) => new Map(components.map((each) => [each.id, statusOf(each)])),
    apply: async (_, component, work, signal) => start(component, work, signal),
    restart: async (_, component, work, signal) => start(component, work, signal),
    remove: async (_region, _component, work, signal) => progress(work, signal),
  };
}
