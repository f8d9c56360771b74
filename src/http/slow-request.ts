import { createHash } from 'node:crypto';
import type { RequestFacts } from '../kernel/telemetry.ts';

/** The number of statements in a log entry, and the number of characters of each. */
const lengths = { statements: 20, characters: 500 };

const rounded = (ms: number) => Math.round(ms * 1000) / 1000;
const cut = (text: string) =>
  text.length > lengths.characters ? `${text.slice(0, lengths.characters)}…` : text;

/** Additional log fields of a slow request, without values that the caller sent. */
export function slowRequestFields({ document, statements }: RequestFacts) {
  return {
    // The hash that clients of persisted documents send.
    documentHash: document && createHash('sha256').update(document).digest('hex'),
    statementCount: statements?.count,
    statementMs: statements && rounded(statements.ms),
    statements: statements
      ?.byText()
      .slice(0, lengths.statements)
      .map(({ text, count, ms }) => ({ text: cut(text), count, ms: rounded(ms) })),
  };
}
