import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { HttpLimits } from './http-limits.ts';

/** How long a stop waits for requests on connections that have just been opened, or were kept for the next one. */
const graceMs = 1_000;
/** How long a stop goes on to accept connections while ever more arrive. */
const drainMs = 3_000;
/** How often a stop looks for connections that have become idle. */
const idleCheckMs = 50;
/** How long the rest of a request may take to arrive that has been answered already. */
const lingerMs = 1_000;

/** The options of `createServer` for the times that requests may take to arrive. */
export const arrivalOptions = ({ headersTimeoutMs, receiveTimeoutMs, idleTimeoutMs }: HttpLimits) => ({
  headersTimeout: headersTimeoutMs,
  requestTimeout: receiveTimeoutMs,
  keepAliveTimeout: idleTimeoutMs,
  connectionsCheckingInterval: Math.min(1_000, headersTimeoutMs),
});

export interface Connections {
  /**
   * Stops the server: what has arrived by now is answered, then the connections are closed; after the timeout those
   * that are busy are cut off. Resolves when none is left, with whether any was cut off.
   */
  stop(timeoutMs: number): Promise<boolean>;
}

/** Bounds the connections of a server, and ends them in order when it stops. */
export function superviseConnections(
  server: Server,
  { maxConnections, sendTimeoutMs }: HttpLimits,
  dropped: () => void,
): Connections {
  const sockets = new Set<Socket>();
  /** The answers under way, with the time from which on their clients could read them. */
  const answers = new Map<ServerResponse, number | undefined>();
  let isStopping = false;
  let accepted = 0;

  server.maxConnections = maxConnections;
  server.on('drop', dropped);
  server.on('connection', (socket: Socket) => {
    accepted++;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.prependListener('request', (req, res: ServerResponse) => {
    // So that no client sends another request on a connection that is about to end.
    if (isStopping) res.shouldKeepAlive = false;
    answers.set(res, undefined);
    res.once('close', () => {
      answers.delete(res);
      if (!req.complete) endUnread(req);
    });
  });
  const sweep = setInterval(
    () => cutSlowReaders(answers, sendTimeoutMs),
    Math.min(1_000, sendTimeoutMs / 4),
  ).unref();
  server.once('close', () => clearInterval(sweep));

  const closeIdle = () => {
    server.closeIdleConnections();
    // Node takes those for busy on which nothing has arrived yet: browsers and load balancers open them ahead.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  };

  return {
    async stop(timeoutMs) {
      isStopping = true;
      for (const res of answers.keys()) res.shouldKeepAlive = false;
      let wasCut = false;
      const late = setTimeout(() => {
        wasCut = true;
        server.closeAllConnections();
      }, timeoutMs);
      await acceptPending(() => accepted, Math.min(drainMs, timeoutMs / 2));
      // Only the listening socket: the method of http.Server closes idle connections first, while others arrive.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      const grace = new AbortController();
      const idle = sleep(Math.min(graceMs, timeoutMs / 4), undefined, { signal: grace.signal }).then(
        async () => {
          for (;;) {
            closeIdle();
            await sleep(idleCheckMs, undefined, { signal: grace.signal });
          }
        },
      );
      idle.catch(() => {});
      await closed;
      grace.abort();
      clearTimeout(late);
      return wasCut;
    },
  };
}

/**
 * Accepts the connections that wait in the kernel, which closing the listening socket would reset: one in each turn of
 * the event loop. After a short turn that found none, none can be left but those of this very moment.
 */
async function acceptPending(accepted: () => number, forMs: number): Promise<void> {
  const startedAt = performance.now();
  let turnedAt = startedAt;
  // The first turn may end before it has looked for connections.
  for (let turns = 0; turnedAt - startedAt < forMs; turns++) {
    const [before, beganAt] = [accepted(), turnedAt];
    await turn();
    turnedAt = performance.now();
    if (turns > 0 && accepted() === before && turnedAt - beganAt < 2) return;
  }
}

/** Closes the connection of a request that was answered before it has arrived, unless its rest comes soon. */
function endUnread(req: IncomingMessage): void {
  const { socket } = req;
  if (socket.destroyed) return;
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  req.once('end', () => clearTimeout(timer));
  req.once('close', () => clearTimeout(timer));
}

const isStream = (res: ServerResponse) =>
  String(res.getHeader('content-type') ?? '').startsWith('text/event-stream');

/** Cuts off clients that take too long to read an answer, which is kept in memory until they have. */
function cutSlowReaders(answers: Map<ServerResponse, number | undefined>, timeoutMs: number): void {
  const now = performance.now();
  for (const [res, since] of answers) {
    // A stream of events has no end to wait for.
    if (!res.headersSent || (isStream(res) && !res.writableEnded)) continue;
    if (since === undefined) answers.set(res, now);
    else if (now - since > timeoutMs) res.destroy();
  }
}
