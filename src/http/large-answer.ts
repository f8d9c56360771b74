import type { RequestBudget } from '../kernel/budget.ts';
import { responses, responseTurns } from '../kernel/event-loop.ts';
import { jsonPieces } from '../kernel/json-pieces.ts';

/**
 * The values of a response, its text in characters, and the memory of its request, up to which it is serialized at once: it takes a few
 * milliseconds. What JSON values contain counts as memory alone.
 */
const few = { values: 20_000, text: 512 * 1024, bytes: 8 * 2 ** 20 };

/** The JSON of a large response, which is written in turns with other responses. Undefined for one that is not large. */
export function jsonInTurns(value: unknown, budget: RequestBudget | undefined): Promise<string> | undefined {
  if (!budget) return undefined;
  const { values, text, bytes } = budget.used;
  return values > few.values || text > few.text || bytes > few.bytes ? write(value, budget) : undefined;
}

async function write(value: unknown, budget: RequestBudget): Promise<string> {
  const pieces: string[] = [];
  for (const piece of jsonPieces(value)) {
    pieces.push(piece);
    if (responses.isOver()) await responseTurns.next(budget.caller, true);
    if (budget.failure) throw budget.failure;
  }
  return pieces.join('');
}
