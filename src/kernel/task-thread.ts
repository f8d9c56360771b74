import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { RequestBudget } from './budget.ts';
import { FairQueue } from './fair-queue.ts';

/** The request that a thread works for. */
export interface ThreadUser {
  /** Users have their turns, however many tasks each has. */
  userId: string | number;
  /** Charged with the time of the thread. */
  budget: RequestBudget | undefined;
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal | undefined;
}

interface Work<T, A> {
  task: T;
  user: ThreadUser;
  /** Called once, with how long the thread took, in ms. */
  answered(answer: A | undefined, ms: number): void;
  failed(reason: unknown): void;
}

/** The first message of a thread says that it is ready, and each other one has an answer and how long it took. */
type Message<A> = 'ready' | { answer: A; ms: number };

/** For how long a task goes on that nobody waits for any more. Most are done before a new thread could have started. */
const patienceMs = 100;

/**
 * A thread that does the tasks of requests, so that none of them blocks the event loop: one after the other, in turns by
 * user. It is ended, and a new one started, when a task takes longer than the budget of its request has left, or much longer than
 * somebody waits for its answer. It starts with the first task, and does not keep the process running.
 */
export class TaskThread<T, A> {
  readonly #file: URL;
  readonly #options: WorkerOptions;
  readonly #queue = new FairQueue<Work<T, A>>();
  #worker: Worker | undefined;
  #isReady = false;
  #current: Work<T, A> | undefined;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(file: URL, options: WorkerOptions) {
    this.#file = file;
    this.#options = options;
  }

  /**
   * The answer to a task, or undefined if it needs more memory than the thread may have. Rejects with LIMIT_EXCEEDED if it
   * takes too long, and with the reason of the signal when that is aborted.
   */
  run(task: T, user: ThreadUser): Promise<A | undefined> {
    const { userId, budget, signal } = user;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abort = () => {
        if (!this.#queue.remove(userId, work)) this.#leave(work);
        work.failed(signal!.reason);
      };
      const work: Work<T, A> = {
        task,
        user,
        answered(answer, ms) {
          signal?.removeEventListener('abort', abort);
          try {
            budget?.countThread(ms);
            resolve(answer);
          } catch (error) {
            reject(error);
          }
        },
        failed(reason) {
          signal?.removeEventListener('abort', abort);
          reject(reason);
        },
      };
      signal?.addEventListener('abort', abort);
      this.#queue.add(userId, work);
      this.#next();
    });
  }

  #next(): void {
    if (this.#current) return;
    this.#current = this.#queue.take();
    const worker = this.#worker;
    if (!this.#current) worker?.unref();
    else if (!worker) this.#start();
    else {
      worker.ref();
      if (this.#isReady) this.#begin(worker);
    }
  }

  #start(): void {
    const worker = new Worker(this.#file, this.#options);
    this.#worker = worker;
    worker.on('message', (message: Message<A>) => {
      if (this.#worker !== worker) return;
      if (message === 'ready') {
        this.#isReady = true;
        if (this.#current) this.#begin(worker);
      } else this.#ended()?.answered(message.answer, message.ms);
    });
    // Out of memory, for example. The next task gets a new thread.
    const ended = (error: unknown) => {
      if (this.#worker !== worker) return;
      const wasReady = this.#isReady;
      const ms = performance.now() - this.#since;
      const work = this.#renew();
      if (wasReady) work?.answered(undefined, ms);
      else work?.failed(error);
    };
    worker.on('error', ended);
    worker.on('exit', () => ended(new Error('The thread did not start')));
  }

  #begin(worker: Worker): void {
    const { task, user } = this.#current!;
    this.#since = performance.now();
    if (user.budget) {
      const mostMs = Math.max(user.budget.threadMsLeft, 0);
      this.#timer = setTimeout(() => this.#renew()?.answered(undefined, mostMs + 1), mostMs).unref();
    }
    worker.postMessage(task);
  }

  /** The work that was done, after which the next can begin. */
  #ended(): Work<T, A> | undefined {
    clearTimeout(this.#timer);
    const work = this.#current;
    this.#current = undefined;
    // After its answer was passed on.
    queueMicrotask(() => this.#next());
    return work;
  }

  /** Ends what nobody waits for any more, if it takes longer. What has not begun makes room at once. */
  #leave(work: Work<T, A>): void {
    if (this.#current !== work) return;
    if (!this.#isReady) return void this.#ended();
    clearTimeout(this.#timer);
    const leftMs = Math.max(patienceMs - (performance.now() - this.#since), 0);
    this.#timer = setTimeout(() => this.#renew(), leftMs).unref();
  }

  /** Ends the thread. Returns the work that it had. */
  #renew(): Work<T, A> | undefined {
    void this.#worker?.terminate();
    this.#worker = undefined;
    this.#isReady = false;
    return this.#ended();
  }
}
