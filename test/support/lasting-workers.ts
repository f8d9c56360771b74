import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vitest/config';
import { ForksPoolWorker, type PoolOptions, type PoolWorker, type WorkerRequest } from 'vitest/node';

// Each project of a run is configured by a copy of this module.
const shared = globalThis as { idleWorkersOfTests?: ForksPoolWorker[] };
/** Processes whose project has ended. */
shared.idleWorkersOfTests ??= [];
const idle = shared.idleWorkersOfTests;

/**
 * The processes that tests run in, which one project leaves to the next. By default each project would have processes of
 * its own, and each of those would load the sources and have V8 compile them: four seconds of work.
 */
export const lastingWorkers = {
  name: 'lasting-forks',
  createPoolWorker: (options: PoolOptions): PoolWorker => new LastingWorker(options),
};

/** Ends the processes with the run. */
export const endLastingWorkers = (): Plugin => ({
  name: 'end-lasting-workers',
  configureVitest({ vitest }) {
    vitest.onClose(async () => {
      await Promise.all(idle.splice(0).map((fork) => fork.stop()));
    });
  },
});

class LastingWorker implements PoolWorker {
  readonly name = lastingWorkers.name;
  readonly cacheFs = true;
  readonly #options: PoolOptions;
  readonly #listeners: [event: string, listener: (value: any) => void][] = [];
  #fork: ForksPoolWorker | undefined;
  /** What the tests share is evaluated anew for each project: it depends on the database. */
  #invalidates: string[] = [];

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#fork = idle.pop();
    if (this.#fork) {
      this.#invalidates = filesOfTests();
    } else {
      this.#fork = new ForksPoolWorker(this.#options);
      await this.#fork.start();
    }
  }

  send(message: WorkerRequest): void {
    if (message.type === 'stop') {
      this.#leave();
    } else if (message.type === 'run' && this.#invalidates.length > 0) {
      const invalidates = [...(message.context.invalidates ?? []), ...this.#invalidates];
      this.#fork!.send({ ...message, context: { ...message.context, invalidates } });
      this.#invalidates = [];
    } else {
      this.#fork!.send(message);
    }
  }

  /** The project is told that the process has stopped. */
  #leave(): void {
    for (const [event, listener] of this.#listeners) {
      this.#fork!.off(event, listener);
      if (event === 'message') listener({ type: 'stopped', __vitest_worker_response__: true });
    }
    idle.push(this.#fork!);
    this.#fork = undefined;
  }

  /** Without having left, it is in a bad state. */
  async stop(): Promise<void> {
    await this.#fork?.stop();
  }

  on(event: string, listener: (value: any) => void): void {
    this.#listeners.push([event, listener]);
    this.#fork!.on(event, listener);
  }

  off(event: string, listener: (value: any) => void): void {
    this.#fork?.off(event, listener);
  }

  deserialize(data: unknown): unknown {
    return data;
  }
}

function filesOfTests(): string[] {
  const folder = fileURLToPath(new URL('..', import.meta.url));
  return (readdirSync(folder, { recursive: true }) as string[]).map((name) => join(folder, name));
}
