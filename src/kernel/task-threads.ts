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

/** A thread, and what it does at present. */
interface Thread<T, A> {
  worker: Worker;
  isReady: boolean;
  current: Work<T, A> | undefined;
  /** When it began that. */
  since: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Threads that do the tasks of requests, so that none of them blocks the event loop. A user has one task under way at a time, and users
 * have their turns: a further thread starts, up to `most`, when there is a task of a user who has none under way. All but one end when
 * nothing is under way.
 *
 * A thread is ended when a task takes longer than the budget of its request has left, or much longer than somebody waits
 * for its answer. The first one starts with the first task. None keeps the process running.
 */
export class TaskThreads<T, A> {
  readonly #file: URL;
  readonly #options: WorkerOptions;
  readonly #most: number;
  readonly #queue = new FairQueue<Work<T, A>>();
  readonly #threads = new Set<Thread<T, A>>();
  /** The users whose tasks are under way. */
  readonly #busy = new Set<ThreadUser['userId']>();

  constructor(file: URL, options: WorkerOptions, most = 1) {
    this.#file = file;
    this.#options = options;
    this.#most = most;
  }

  /**
   * The answer to a task, or undefined if it needs more memory than a thread may have. Rejects with LIMIT_EXCEEDED if it
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

  /** Gives what waits to the threads that have nothing to do. */
  #next(): void {
    let isStarting = false;
    for (const thread of this.#threads) {
      if (thread.current) continue;
      if (!thread.isReady) isStarting = true;
      else this.#begin(thread);
    }
    if (!isStarting && this.#threads.size < this.#most && this.#queue.hasOther(this.#busy)) this.#start();
  }

  #start(): void {
    const worker = new Worker(this.#file, this.#options);
    const thread: Thread<T, A> = { worker, isReady: false, current: undefined, since: 0, timer: undefined };
    this.#threads.add(thread);
    worker.on('message', (message: Message<A>) => {
      if (!this.#threads.has(thread)) return;
      if (message === 'ready') {
        thread.isReady = true;
        this.#next();
      } else this.#ended(thread)?.answered(message.answer, message.ms);
    });
    // Out of memory, for example. The next task gets a new thread.
    const ended = (error: unknown) => {
      if (!this.#threads.has(thread)) return;
      const ms = performance.now() - thread.since;
      const work = this.#end(thread);
      if (thread.isReady) work?.answered(undefined, ms);
      else this.#queue.take(this.#busy)?.failed(error);
    };
    worker.on('error', ended);
    worker.on('exit', () => ended(new Error('The thread did not start')));
  }

  /** Begins the next task, if there is one. */
  #begin(thread: Thread<T, A>): void {
    const { worker } = thread;
    const work = this.#queue.take(this.#busy);
    if (!work) {
      worker.unref();
      // While one is busy, another one is soon needed, and takes long to start.
      if (this.#busy.size === 0) for (const other of this.#threads) if (other !== thread) this.#end(other);
      return;
    }
    const { task, user } = work;
    worker.ref();
    this.#busy.add(user.userId);
    Object.assign(thread, { current: work, since: performance.now() });
    if (user.budget) {
      const mostMs = Math.max(user.budget.threadMsLeft, 0);
      thread.timer = setTimeout(() => this.#end(thread)?.answered(undefined, mostMs + 1), mostMs).unref();
    }
    worker.postMessage(task);
  }

  /** The work that was done, after which the next can begin. */
  #ended(thread: Thread<T, A>): Work<T, A> | undefined {
    clearTimeout(thread.timer);
    const work = thread.current;
    thread.current = undefined;
    if (work) this.#busy.delete(work.user.userId);
    // After its answer was passed on.
    queueMicrotask(() => this.#next());
    return work;
  }

  /** Ends what nobody waits for any more, if it takes longer. */
  #leave(work: Work<T, A>): void {
    const thread = [...this.#threads].find(({ current }) => current === work);
    if (!thread) return;
    clearTimeout(thread.timer);
    const leftMs = Math.max(patienceMs - (performance.now() - thread.since), 0);
    thread.timer = setTimeout(() => this.#end(thread), leftMs).unref();
  }

  /** Ends a thread. Returns the work that it had. */
  #end(thread: Thread<T, A>): Work<T, A> | undefined {
    void thread.worker.terminate();
    this.#threads.delete(thread);
    return this.#ended(thread);
  }
}
