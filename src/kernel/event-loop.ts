import { FairQueue } from './fair-queue.ts';

/** The longest time, in ms, that work of one kind may block the event loop. */
const sliceMs = 8;

/**
 * For responses, which many wait for with each statement of a change. Less work than this hardly takes so long, unless resolvers
 * compute much for each value; then the longer time counts.
 */
const ofResponses = { ms: 4, little: { work: 10_000, ms: 40 } };

/**
 * The work of so many values, of which resolvers have returned some: those take as long as ten others, because each has an object
 * and a promise of its own.
 */
export const workOf = (values: number, resolved: number): number => values + resolved * 10;

/** Whether a response with so much work is so small that it does not matter how many of its kind are in memory. */
export const isLittle = (work: number): boolean => work < ofResponses.little.work;

/**
 * Measures for how long work of one kind has blocked the current turn of the event loop. Each kind has a clock of its own:
 * with a common one, the kind that begins first in every turn would leave no time to the others.
 */
export class TurnClock {
  readonly #sliceMs: number;
  #since: number | undefined;
  #work = 0;

  constructor(ms = sliceMs) {
    this.#sliceMs = ms;
  }

  /** Whether the work has used up its time in this turn. */
  isOver(): boolean {
    return this.#ms() > this.#sliceMs;
  }

  /**
   * Whether to yield after so much more work for a response in this turn. On a busy machine, the clock alone would interrupt
   * even the smallest response.
   */
  isOverAfter(more: number): boolean {
    const ms = this.#ms();
    this.#work += more;
    return ms > (isLittle(this.#work) ? ofResponses.little.ms : this.#sliceMs);
  }

  /**
   * Counts the time of a resolver's computation as the work for a response that takes as long, so that a response of few
   * values that are slow to compute is not taken for a small one.
   */
  countComputed(ms: number): void {
    this.#work += (ms / ofResponses.ms) * ofResponses.little.work;
  }

  /** Starts the clock for this turn. */
  begin(): number {
    this.#since = performance.now();
    this.#work = 0;
    setImmediate(() => {
      this.#since = undefined;
    });
    return this.#since;
  }

  #ms(): number {
    return performance.now() - (this.#since ?? this.begin());
  }
}

const slices = new TurnClock();

/** Whether the current slice has used up its time. */
const isSliceOver = (): boolean => slices.isOver();

/** The clock of what resolvers compute and the executor completes. */
export const responses = new TurnClock(ofResponses.ms);

/** How many changes of callers are in progress. */
let changes = 0;

/** After slices that take longer than `afterMs`, other work rests while changes are in progress, for at most `mostMs`. */
const rest = { afterMs: 2, mostMs: 50 };

/** What goes on after the rest. Undefined if there is none now. */
let resting: (() => void)[] | undefined;
let restTimer: NodeJS.Timeout | undefined;

function endRest(): void {
  clearTimeout(restTimer);
  const goOn = resting ?? [];
  resting = undefined;
  for (const each of goOn) each();
}

/**
 * Runs a change. With each answer of the database, a change waits for the slice of other work that has begun before it. While
 * changes are in progress, other work therefore rests after each slice for as long as that took.
 */
export async function asChange<T>(change: () => Promise<T>): Promise<T> {
  changes++;
  try {
    return await change();
  } finally {
    changes--;
    if (changes === 0 && resting) setImmediate(endRest);
  }
}

/** Notes that work which can wait has blocked the event loop for so long. */
export function noteSlice(ms: number): void {
  if (changes === 0 || ms <= rest.afterMs || resting) return;
  resting = [];
  restTimer = setTimeout(endRest, Math.min(ms, rest.mostMs));
}

/** Whether work that can wait rests now. If so, it goes on after that. */
export function rests(goOn: () => void): boolean {
  resting?.push(goOn);
  return resting !== undefined;
}

/** Yields to the event loop until it is the operation's turn among those of its kind. */
type NextTurn = () => Promise<void>;

/**
 * The turns of operations of one kind. Node.js runs all immediates of one turn in a row, so waiting operations resume one
 * per turn: each turn has one slice, however many long operations are in progress. Callers take turns as well.
 */
class Turns {
  readonly #waiting = new FairQueue<() => void>();
  readonly #begin: (() => void) | undefined;
  readonly #rests: boolean;
  #since = 0;

  /** @param begin called before each operation resumes */
  constructor(begin?: () => void, { rests = true }: { rests?: boolean } = {}) {
    this.#begin = begin;
    this.#rests = rests;
  }

  /** Resolves when it is the turn of the operation, which is `first` among those of the same caller, or the last. */
  next(caller?: unknown, isFirst = false): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.isEmpty) setImmediate(this.#resumeOne);
      this.#waiting.add(caller, resolve, isFirst);
    });
  }

  /** Whether an operation of the caller waits for its turn. */
  hasWaiting(caller: unknown): boolean {
    return this.#waiting.has(caller);
  }

  readonly #resumeOne = () => {
    if (this.#rests && rests(this.#resumeOne)) return;
    this.#begin?.();
    this.#since = performance.now();
    this.#waiting.take()!();
    if (this.#rests) setImmediate(this.#ended);
    if (!this.#waiting.isEmpty) setImmediate(this.#resumeOne);
  };

  readonly #ended = () => {
    noteSlice(performance.now() - this.#since);
  };
}

/** The turns of operations that do not say whose they are. */
export function turnsOfKind(...given: ConstructorParameters<typeof Turns>): NextTurn {
  const turns = new Turns(...given);
  return () => turns.next();
}

export const nextTurn: NextTurn = turnsOfKind(() => slices.begin());

/** The turns of responses: each turn has a slice of one of them. */
export const responseTurns = new Turns(() => responses.begin());

/** The clock of transactions. */
const transactions = new TurnClock();

const nextTransactionTurn: NextTurn = turnsOfKind(() => transactions.begin(), { rests: false });

/** A change of a port has 20 statements. One that has no more than 40 yields only where they are slow. */
const workOfStatement = ofResponses.little.work / 40;

/**
 * Yields as `yieldToLoop` does, with a clock and turns of transactions alone: others may wait for their locks, so they do not wait
 * for work without locks. Called before each statement.
 */
export async function yieldInTransaction(signal?: AbortSignal): Promise<void> {
  if (transactions.isOverAfter(workOfStatement)) await nextTransactionTurn();
  signal?.throwIfAborted();
}

/** Yields to the event loop when the slice is over. Rejects with the signal's reason once it is aborted. */
export async function yieldToLoop(signal?: AbortSignal): Promise<void> {
  if (isSliceOver()) await nextTurn();
  signal?.throwIfAborted();
}

/** Returns a function that maps items in slices, and yields between them. */
const mapBetween =
  (yields: (signal?: AbortSignal) => Promise<void>) =>
  async <T, R>(items: readonly T[], map: (item: T) => R, signal?: AbortSignal): Promise<R[]> => {
    const mapped: R[] = [];
    for (const item of items) {
      mapped.push(map(item));
      if (mapped.length % 50 === 0) await yields(signal);
    }
    return mapped;
  };

export const mapInSlices = mapBetween(yieldToLoop);

export const mapInTransaction = mapBetween(yieldInTransaction);

/** Runs a generator in slices; it can be paused at each `yield`. */
export async function inSlices<T>(work: Generator<void, T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (isSliceOver()) await yieldToLoop(signal);
  }
}
