import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { TrellisProcess } from './process.ts';
import { send } from './send.ts';

const agent = new Agent({ keepAlive: true });

/**
 * The CPU time of the process's main thread, in ms, which runs its event loop. Undefined if the system does not report
 * it.
 */
function cpuMs(pid: number | undefined): number | undefined {
  try {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return undefined;
  }
}

/** The longest time in ms that a health check waited until the request was answered. */
export async function blockedBy<T>(
  { child }: TrellisProcess,
  target: { url: string; adminToken: string },
  request: Promise<T>,
): Promise<{ answer: T; blockedMs: number }> {
  let isAnswered = false;
  const note = () => {
    isAnswered = true;
  };
  request.then(note, note);
  let blockedMs = 0;
  for (let isOver = false; !isOver; ) {
    isOver = isAnswered;
    const [started, before] = [performance.now(), cpuMs(child.pid)];
    const { status } = await send(target, { path: '/healthz', token: null, agent });
    const [waited, after] = [performance.now() - started, cpuMs(child.pid)];
    expect(status).toBe(200);
    // What others on the machine took is not part of it.
    const own = before === undefined || after === undefined ? waited : Math.min(waited, after - before);
    blockedMs = Math.max(blockedMs, own);
    // Waits on time: health checks leave the gateway room for the request.
    await sleep(5);
    if (child.exitCode !== null) break;
  }
  return { answer: await request, blockedMs };
}
