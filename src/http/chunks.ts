import type { IncomingMessage, ServerResponse } from 'node:http';
import { endParsing } from './end-parsing.ts';

/** After so many chunks, those of a body have to have as many bytes on average: to receive a chunk takes a thousand times as long as a byte. */
const smallest = { afterChunks: 500, bytes: 16 };

/** The most chunks of all connections in one turn of the event loop, after which each can have a few more. */
const most = { ofTurn: 10_000, ofConnection: 50 };

let ofTurn = 0;

/** Counts a chunk. Returns whether there were too many in this turn. */
function isTurnOver(): boolean {
  if (ofTurn === 0) {
    setImmediate(() => {
      ofTurn = 0;
    });
  }
  return ++ofTurn > most.ofTurn;
}

/**
 * Closes the connection of a request whose body comes in many small chunks, also before anybody reads it: 64 KiB of single bytes are ten
 * thousand objects. Without a response: until that is sent, megabytes would be read, all in one turn of the event loop.
 */
export function refuseSmallChunks(req: IncomingMessage, res: ServerResponse): void {
  if (req.headers['transfer-encoding'] === undefined) return;
  // Otherwise, what nobody has read when the response is sent would be parsed and not be counted.
  res.prependListener('finish', () => void req.on('data', () => {}).resume());
  const push = req.push.bind(req);
  let [chunks, size] = [0, 0];
  req.push = (chunk: Buffer | null, encoding) => {
    // The end.
    if (chunk === null) return push(chunk, encoding);
    chunks++;
    size += chunk.length;
    const isSmall = chunks > smallest.afterChunks && size < chunks * smallest.bytes;
    if (!isSmall && !(isTurnOver() && chunks > most.ofConnection)) return push(chunk, encoding);
    endParsing(req.socket);
    return false;
  };
}
