import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../kernel/errors.ts';
import { invalid } from '../kernel/validate.ts';

/** After so many parts, those of a body have to have as many bytes on average: to receive a part takes a thousand times as long as a byte. */
const smallest = { afterParts: 500, bytes: 16 };

/**
 * Closes the connection of a request, without a response: until one is sent, megabytes would be read, all in one turn of the event loop.
 * What is being parsed is discarded, which Node.js does with what nobody reads, and has no documented name for.
 */
function cutOff(req: IncomingMessage & { _dump?(): void }): void {
  req._dump?.();
  req.socket.destroy();
}

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

/** Reads the body of a request, up to a limit. */
export type ReadBody = (req: IncomingMessage, res: ServerResponse) => Promise<Buffer>;

/**
 * Reads the body of a request. PAYLOAD_TOO_LARGE as soon as it, or its Content-Length, exceeds the limit. `count` gets the
 * size of each part, and returns an error if it is one too many.
 */
export function readBytes(
  req: IncomingMessage,
  limitBytes: number,
  count?: (bytes: number) => ApiError | undefined,
): Promise<Buffer> {
  const tooSmall = () =>
    new ApiError('PAYLOAD_TOO_LARGE', 'The body arrives in too many small parts. Send larger ones.');
  const tooLarge = () =>
    new ApiError('PAYLOAD_TOO_LARGE', `The body is larger than ${limitBytes} bytes.`, 'BODY_LIMIT_KIB');
  return new Promise((resolve, reject) => {
    if (Number(req.headers['content-length']) > limitBytes) return reject(tooLarge());
    const parts = new Parts();
    let [size, number] = [0, 0];
    const isTooSmall = () => number > smallest.afterParts && size < number * smallest.bytes;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      number++;
      if (isTooSmall()) cutOff(req);
      const refused = size > limitBytes ? tooLarge() : isTooSmall() ? tooSmall() : count?.(chunk.length);
      if (!refused) {
        parts.add(chunk);
        return;
      }
      req.removeAllListeners('data');
      reject(refused);
    });
    req.on('end', () => resolve(parts.all()));
    req.on('error', () => reject(invalid([], 'The connection was closed before the whole body arrived')));
  });
}

/** The text of a body, without a byte order mark. INVALID_INPUT unless it is UTF-8. */
export function textOf(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw invalid([], 'The body is not valid UTF-8');
  }
}

/** The value of a JSON body. INVALID_INPUT unless it is JSON in UTF-8. Of repeated keys, the last one counts, as usual in JSON. */
export function jsonOf(body: Buffer): unknown {
  const text = textOf(body);
  try {
    return JSON.parse(text);
  } catch {
    throw invalid([], 'The body is not valid JSON');
  }
}
