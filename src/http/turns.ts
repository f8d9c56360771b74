/** Work for one key that waits for its turn, and begins together. */
interface Turn {
  begin: Promise<void>;
  results: Promise<unknown>[];
}

/**
 * Runs work of one key in turns: what comes during a turn waits, and is the next turn, so that reads of the same moment can share a
 * statement. Keys do not wait for each other. Nothing is kept for a key without work.
 */
export function createTurns(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const current = new Map<string, Promise<unknown>>();
  const next = new Map<string, Turn>();

  function begin(key: string): void {
    const { results } = next.get(key)!;
    next.delete(key);
    const end = Promise.allSettled(results).then(() => {
      if (current.get(key) === end) current.delete(key);
    });
    current.set(key, end);
  }

  function waiting(key: string): Turn {
    const there = next.get(key);
    if (there) return there;
    const before = current.get(key) ?? Promise.resolve();
    const turn: Turn = { begin: before.then(() => begin(key)), results: [] };
    next.set(key, turn);
    return turn;
  }

  return (key, work) => {
    const turn = waiting(key);
    const result = turn.begin.then(work);
    turn.results.push(result);
    return result;
  };
}
