import { setTimeout as sleep } from 'node:timers/promises';
import { yieldToLoop } from '../../../kernel/event-loop.ts';
import {
  type InspectedComponent,
  type Instance,
  type InstanceAccess,
  instanceLimits,
  type LogLine,
} from '../instances.ts';
import { filterOf } from '../log-filter.ts';

/** How often a simulated instance writes a line. */
const everyMs = 1_000;

const isRunning = ({ deployState }: InspectedComponent) => deployState === 'running';

/** Why components whose image has such a tag crash after they have started. Null for others. */
export const crashOf = (image: string): string | null =>
  /:[^/@]*(crash|abnormal)[^/@]*(@|$)/i.test(image) ? `The image ${image} crashes when it starts.` : null;

/** The instances of a component, as the database knows it. */
export function instancesOf(component: InspectedComponent): Instance[] {
  const count = isRunning(component) ? component.replicas : 0;
  const reason = crashOf(component.image);
  return Array.from({ length: count }, (_, index) => {
    const name = `${component.clusterName}-${index}`;
    return {
      name,
      uid: name,
      containers: ['main'],
      node: 'simulated',
      phase: 'Running',
      isReady: reason === null,
      restarts: 0,
      startedAt: null,
      reason,
    };
  });
}

/** The line that an instance writes at a time, which is a multiple of the pause between two lines. */
const lineAt = ({ name, reason }: Instance, ms: number): LogLine => ({
  instance: name,
  container: 'main',
  at: `${new Date(ms).toISOString().slice(0, -1)}000000Z`,
  text: `${reason === null ? 'GET /health 200' : 'Fatal error: exit code 1'} #${ms / everyMs}`,
});

const lastTick = () => Math.floor(Date.now() / everyMs) * everyMs;

/** Instances as the database knows them, which write a line every second. */
export const simulatedInstances: InstanceAccess = {
  list: async (component) => instancesOf(component),
  async logs(_, instances, { tail, since, until, search }, signal) {
    const lines: LogLine[] = [];
    const isAsked = filterOf({ since, until, search });
    const newest = Math.min(lastTick(), until?.getTime() ?? Number.POSITIVE_INFINITY);
    let searched = 0;
    let ms = Math.floor(newest / everyMs) * everyMs;
    for (; lines.length < tail && ms >= (since?.getTime() ?? 0); ms -= everyMs) {
      if (searched >= instanceLimits.searched || instances.length === 0) break;
      for (const instance of instances) {
        const line = lineAt(instance, ms);
        // A request can search many components.
        if (++searched % 500 === 0) await yieldToLoop(signal);
        if (lines.length < tail && isAsked(line)) lines.unshift(line);
      }
    }
    return { lines, isTruncated: lines.length < tail && searched >= instanceLimits.searched };
  },
  stored: async () => ({ gap: 'no_logs_url' }),
  async *follow(component, { instance }, signal) {
    const followed = instancesOf(component).filter(({ name }) => !instance || name === instance.name);
    for (let written = 0; followed.length > 0 && !signal.aborted; ) {
      const tick = lastTick();
      if (tick > written) yield followed.map((each) => lineAt(each, tick));
      written = tick;
      await sleep(tick + everyMs - Date.now(), undefined, { signal }).catch(() => {});
    }
  },
  events: async (component) =>
    instancesOf(component).map(({ name }) => ({
      isWarning: false,
      reason: 'Started',
      message: 'Started container main',
      count: 1,
      firstAt: null,
      lastAt: null,
      objectKind: 'Pod',
      objectName: name,
    })),
  // The next one has the same name.
  remove: async () => {},
};
