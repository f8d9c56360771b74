import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { availableParallelism } from 'node:os';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The loopback port that lends the cores of this machine: see `starts-processes.ts`. */
    coresPort: number;
  }
}

/** A process of a test waits for half of its time, so that each core bears two. */
const total = 2 * availableParallelism();

/**
 * Lends the cores of this machine to test files that start processes. A file connects, sends how many it needs, gets a byte
 * when it has them, and gives them back by closing the connection: a worker that is killed gives them back as well.
 */
async function lendCores(): Promise<{ port: number; close(): Promise<void> }> {
  let free = total;
  const waiting: { socket: Socket; count: number }[] = [];
  const serve = () => {
    while (waiting.length > 0 && waiting[0]!.count <= free) {
      const { socket, count } = waiting.shift()!;
      if (socket.destroyed) continue;
      free -= count;
      socket.once('close', () => {
        free += count;
        serve();
      });
      socket.write('+');
    }
  };
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', (chunk) => {
      waiting.push({ socket, count: Math.min(Number(chunk), total) });
      serve();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return { port, close: async () => void server.close() };
}

// Each project of a run is set up by a copy of this module: all share one server.
const shared = globalThis as { coresOfTests?: { lent: ReturnType<typeof lendCores>; users: number } };

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  shared.coresOfTests ??= { lent: lendCores(), users: 0 };
  const cores = shared.coresOfTests;
  cores.users++;
  const { port, close } = await cores.lent;
  project.provide('coresPort', port);
  return async () => {
    if (--cores.users > 0) return;
    delete shared.coresOfTests;
    await close();
  };
}
