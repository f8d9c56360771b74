import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestBudget } from '../kernel/budget.ts';
import { ApiError, type LimitName } from '../kernel/errors.ts';
import { countJsonText } from '../kernel/json-text.ts';
import { invalid } from '../kernel/validate.ts';
import { tooManyKeys } from './keys.ts';

/** How many parts of a body are kept apart. */
const maxApart = 64;

/** The parts of a body, joined as they arrive: each takes some 500 bytes beside its own, and clients can send single bytes. */
class Parts {
  readonly #joined: Buffer[] = [];
  #apart: Buffer[] = [];

  add(part: Buffer): void {
    if (this.#apart.push(part) < maxApart) return;
    this.#joined.push(Buffer.concat(this.#apart));
    this.#apart = [];
  }

  all(): Buffer {
    const parts = [...this.#joined, ...this.#apart];
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }
}

/** Reads the body of a request, up to the limit of all bodies, or that of `most` if it is lower. */
export type ReadBody = (req: IncomingMessage, res: ServerResponse, most?: number) => Promise<Buffer>;

export interface BodyLimit {
  bytes: number;
  /** The setting that gives it. */
  name?: LimitName;
}

/** The longest body of an endpoint that strangers can use, in bytes. Tokens, and what registries send, are shorter. */
export const strangerBodyBytes = 65_536;

/**
 * Reads the body of a request. PAYLOAD_TOO_LARGE as soon as it, or its Content-Length, exceeds the limit. `count` gets the
 * size of each part, and returns an error if it is one too many.
 */
export function readBytes(
  req: IncomingMessage,
  { bytes: limitBytes, name: limitName }: BodyLimit,
  count?: (bytes: number) => ApiError | undefined,
): Promise<Buffer> {
  const tooLarge = () =>
    new ApiError('PAYLOAD_TOO_LARGE', `The body is larger than ${limitBytes} bytes.`, limitName);
  return new Promise((resolve, reject) => {
    if (Number(req.headers['content-length']) > limitBytes) return reject(tooLarge());
    const parts = new Parts();
    if (req.destroyed) return reject(closed());
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      const refused = size > limitBytes ? tooLarge() : count?.(chunk.length);
      if (!refused) {
        parts.add(chunk);
        return;
      }
      req.removeAllListeners('data');
      reject(refused);
    });
    req.on('end', () => resolve(parts.all()));
    req.on('error', () => reject(closed()));
  });
}

const closed = () => invalid([], 'The connection was closed before the whole body arrived');

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of a body, without a byte order mark. INVALID_INPUT unless it is UTF-8. */
export function textOf(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw invalid([], 'The body is not valid UTF-8');
  }
}

/** The value of a JSON body. INVALID_INPUT unless it is JSON in UTF-8. */
export const jsonOf = (body: Buffer, maxKeys: number, budget?: RequestBudget): unknown =>
  parseJson(textOf(body), maxKeys, budget);

/**
 * Parses the text of a body. LIMIT_EXCEEDED, before it is parsed, if it has more keys than the limit, at all depths, or more values
 * than the budget allows. INVALID_INPUT unless it is JSON. Of repeated keys, each is counted and the last one is used.
 */
export function parseJson(text: string, maxKeys: number, budget: RequestBudget | undefined): unknown {
  const { keys, values } = countJsonText(text, { keys: maxKeys });
  if (keys > maxKeys) throw tooManyKeys(maxKeys);
  budget?.countJson(values);
  try {
    return JSON.parse(text);
  } catch {
    throw invalid([], 'The body is not valid JSON');
  }
}
