import { setTimeout as sleep } from 'node:timers/promises';
import type { InspectedComponent, Instance, InstanceAccess, LogLine } from './instances.ts';

/** How often a simulated instance writes a line. */
const everyMs = 1_000;

const isRunning = ({ deployState }: InspectedComponent) => deployState === 'running';

function instancesOf(component: InspectedComponent): Instance[] {
  const count = isRunning(component) ? component.replicas : 0;
  return Array.from({ length: count }, (_, index) => {
    const name = `${component.clusterName}-${index}`;
    return {
      name,
      uid: name,
      containers: ['main'],
      node: 'simulated',
      phase: 'Running',
      isReady: true,
      restarts: 0,
      startedAt: null,
      reason: null,
    };
  });
}

/** The line that an instance writes at a time, which is a multiple of the pause between two lines. */
const lineAt = (instance: string, ms: number): LogLine => ({
  instance,
  container: 'main',
  at: `${new Date(ms).toISOString().slice(0, -1)}000000Z`,
  text: `GET /health 200 #${ms / everyMs}`,
});

const lastTick = () => Math.floor(Date.now() / everyMs) * everyMs;

/** Instances as the database knows them, which write a line every second. */
export const simulatedInstances: InstanceAccess = {
  list: async (component) => instancesOf(component),
  async logs(_, instances, { tail, since }) {
    const lines: LogLine[] = [];
    for (let ms = lastTick(); lines.length < tail && ms >= (since?.getTime() ?? 0); ms -= everyMs) {
      for (const { name } of instances) if (lines.length < tail) lines.unshift(lineAt(name, ms));
      if (instances.length === 0) break;
    }
    return { lines, isTruncated: false };
  },
  async *follow(component, { instance }, signal) {
    const followed = instancesOf(component).filter(({ name }) => !instance || name === instance.name);
    for (let written = 0; followed.length > 0 && !signal.aborted; ) {
      const tick = lastTick();
      if (tick > written) yield followed.map(({ name }) => lineAt(name, tick));
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
