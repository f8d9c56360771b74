import { createHash } from 'node:crypto';
import type { InspectedComponent, Instance } from '../instances.ts';
import type { MeasuredComponent, UsageAccess } from '../usage.ts';
import type { UsagePoint, UsageWindow } from '../usage-history.ts';

/** How often simulated instances are measured. */
const everyMs = 15_000;
/** How long a simulated instance takes from little to much load and back. */
const waveMs = 600_000;
/** The assumed requests of components that request nothing. */
const unlimited = { cpuMillicores: 250, memoryMiB: 256 };

/** A number from 0 to 1 that is the same for the same instance on every gateway. */
const shareOf = (name: string) => createHash('sha256').update(name).digest().readUInt32BE() / 2 ** 32;

/** The share of an instance in the load, and the height of the load at a time, both from 0 to 1. */
function loadAt(name: string, ms: number): { share: number; wave: number } {
  const share = shareOf(name);
  return { share, wave: (1 + Math.sin(2 * Math.PI * (ms / waveMs + share))) / 2 };
}

/** The usage of an instance at a time: less than it requests, and more or less of it over time. */
export function simulatedUsageAt(
  { cpuMillicores, memoryMiB }: Pick<MeasuredComponent, 'cpuMillicores' | 'memoryMiB'>,
  name: string,
  ms: number,
): { cpuMillicores: number; memoryMiB: number } {
  const { share, wave } = loadAt(name, ms);
  return {
    cpuMillicores: Math.round((cpuMillicores || unlimited.cpuMillicores) * (0.1 + 0.3 * share + 0.4 * wave)),
    memoryMiB: Math.round((memoryMiB || unlimited.memoryMiB) * (0.3 + 0.3 * share + 0.1 * wave)),
  };
}

/** The requests that an instance answers at a time: more of them take longer, and more of them fail. */
function simulatedTrafficAt(name: string, ms: number) {
  const { share, wave } = loadAt(name, ms);
  const requestsPerSecond = Math.round(10 * (2 + 8 * share + 10 * wave)) / 10;
  return {
    requestsPerSecond,
    errorsPerSecond: Math.round(requestsPerSecond * wave) / 100,
    latencyP95Ms: Math.round(20 + 30 * share + 50 * wave),
  };
}

/** The times of the points of a window, in ms. */
function timesOf({ from, to, stepSeconds }: UsageWindow): number[] {
  const count = Math.floor((to.getTime() - from.getTime()) / (stepSeconds * 1_000)) + 1;
  return Array.from({ length: count }, (_, index) => from.getTime() + index * stepSeconds * 1_000);
}

/** Usage that follows from the names of the instances and the time, so that gateways agree. */
export const simulatedUsage = (instancesOf: (component: InspectedComponent) => Instance[]): UsageAccess => ({
  async now(_, components) {
    const ms = Math.floor(Date.now() / everyMs) * everyMs;
    return new Map(
      components.map((component) => [
        component.id,
        {
          gap: null,
          instances: instancesOf(component).map(({ name, restarts }) => ({
            name,
            ...simulatedUsageAt(component, name, ms),
            restarts,
            measuredAt: new Date(ms),
          })),
        },
      ]),
    );
  },
  async history(component, _, window) {
    const names = instancesOf(component).map(({ name }) => name);
    const pointsOf = (usedBy: (name: string, ms: number) => number): UsagePoint[] =>
      (names.length === 0 ? [] : timesOf(window)).map((ms) => ({
        at: new Date(ms),
        value: names.reduce((sum, name) => sum + usedBy(name, ms), 0),
      }));
    return {
      gap: null,
      cpuMillicores: pointsOf((name, ms) => simulatedUsageAt(component, name, ms).cpuMillicores),
      memoryMiB: pointsOf((name, ms) => simulatedUsageAt(component, name, ms).memoryMiB),
      restarts: pointsOf(() => 0),
    };
  },
  async traffic(component, _, window) {
    const names = instancesOf(component).map(({ name }) => name);
    const times = names.length === 0 ? [] : timesOf(window);
    const pointsOf = (valueAt: (all: ReturnType<typeof simulatedTrafficAt>[]) => number): UsagePoint[] =>
      times.map((ms) => ({
        at: new Date(ms),
        value: valueAt(names.map((name) => simulatedTrafficAt(name, ms))),
      }));
    return {
      gap: null,
      requestsPerSecond: pointsOf((all) => all.reduce((sum, each) => sum + each.requestsPerSecond, 0)),
      errorsPerSecond: pointsOf((all) => all.reduce((sum, each) => sum + each.errorsPerSecond, 0)),
      latencyP95Ms: pointsOf((all) => Math.max(...all.map((each) => each.latencyP95Ms))),
    };
  },
});
