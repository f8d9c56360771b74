import type { Socket } from 'node:net';

/** The parser of a connection, as Node.js has it, with the functions that it calls. */
interface Parser {
  /** For each request. Returns whether the rest is to be parsed. */
  onIncoming: () => number;
  [callback: string]: unknown;
}

/** The return value with which Node.js leaves the rest of what has arrived to another protocol. */
const upgraded = 2;

/**
 * Closes a connection, and leaves the rest of what has arrived. Node.js would parse all of it in one turn of the event loop: thousands of
 * requests, whose objects are kept until its end, or of parts of a body.
 */
export function endParsing(socket: Socket & { parser?: Parser | null }): void {
  const { parser } = socket;
  if (parser) {
    parser.onIncoming = () => upgraded;
    const name = Object.keys(parser).find(
      (key) => (parser[key] as { name?: string })?.name === 'parserOnBody',
    );
    if (name !== undefined) {
      const onBody = parser[name];
      parser[name] = undefined;
      // Before Node.js uses the parser for another connection.
      socket.prependOnceListener('close', () => {
        parser[name] = onBody;
      });
    }
  }
  socket.destroy();
}
