import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { refuseSmallChunks } from './chunks.ts';
import { endParsing } from './end-parsing.ts';
import type { HttpLimits } from './http-limits.ts';

/** How long stopping waits for another request on new and kept-alive connections. */
const graceMs = 1_000;
/** How long it waits while such requests arrive: a proxy uses each connection that it keeps once more. */
const longestGraceMs = 5_000;
/** The most connections that a stop accepts while more arrive: the length of the queue that Node.js asks the kernel for. */
const drainedConnections = 511;
/** The interval at which stopping closes idle connections. */
const idleCheckMs = 50;
/** How long the rest of a request can take to arrive after its response was sent. */
const lingerMs = 1_000;
/** How many requests of a connection can wait for the one before them. Few clients send any before they have the response. */
const mostPipelined = 4;
/** Responses that are larger can wait in the buffers of a connection, from where nobody says whether they were read. */
const mostBufferedBytes = 65_536;

/** The options of `createServer` that limit how long requests take to arrive. */
export const arrivalOptions = ({ headersTimeoutMs, receiveTimeoutMs, idleTimeoutMs }: HttpLimits) => ({
  headersTimeout: headersTimeoutMs,
  requestTimeout: receiveTimeoutMs,
  keepAliveTimeout: idleTimeoutMs,
  connectionsCheckingInterval: Math.min(1_000, headersTimeoutMs),
});

export interface Connections {
  /**
   * Stops the server. Requests that have arrived are handled before their connections are closed. After the timeout,
   * busy connections are destroyed. Resolves when all are closed, with whether any was destroyed.
   */
  stop(timeoutMs: number): Promise<boolean>;
}

/** Limits the connections of a server, and closes them when it stops. */
export function superviseConnections(
  server: Server,
  { maxConnections, sendTimeoutMs }: HttpLimits,
  dropped: () => void,
): Connections {
  /** The connections, each with the responses that are not closed. */
  const sockets = new Map<Socket, Set<ServerResponse>>();
  /** The responses in progress, with the time when they became readable. */
  const answers = new Map<ServerResponse, number | undefined>();
  /** The connections without a request since a large response was sent, with the time of that. */
  const unread = new Map<Socket, number>();
  let isStopping = false;
  let accepted = 0;
  let requestedAt = 0;

  server.maxConnections = maxConnections;
  server.on('drop', dropped);
  server.on('connection', (socket: Socket) => {
    accepted++;
    const responses = new Set<ServerResponse>();
    sockets.set(socket, responses);
    socket.once('close', () => {
      sockets.delete(socket);
      unread.delete(socket);
      // After Node.js has closed the response that is being sent.
      process.nextTick(closeUnsent, responses);
    });
  });
  server.prependListener('request', (req, res: ServerResponse) => {
    const responses = sockets.get(req.socket);
    if (responses && responses.size >= mostPipelined) return endParsing(req.socket);
    refuseSmallChunks(req, res);
    // Tells clients not to send another request on a connection that will be closed.
    if (isStopping) {
      res.shouldKeepAlive = false;
      requestedAt = performance.now();
    }
    const { socket } = req;
    unread.delete(socket);
    const sentBefore = socket.bytesWritten;
    answers.set(res, undefined);
    responses?.add(res);
    res.once('close', () => {
      answers.delete(res);
      responses?.delete(res);
      if (!socket.destroyed && socket.bytesWritten - sentBefore > mostBufferedBytes) {
        unread.set(socket, performance.now());
      }
      if (!req.complete) endUnread(req);
    });
  });
  const sweep = setInterval(
    () => {
      cutSlowReaders(answers, sendTimeoutMs);
      cutIdleReaders(unread, sendTimeoutMs);
    },
    Math.min(1_000, sendTimeoutMs / 4),
  ).unref();
  server.once('close', () => clearInterval(sweep));

  const closeIdle = () => {
    server.closeIdleConnections();
    // Node.js considers connections without a request as busy, but browsers and load balancers open them in advance.
    for (const socket of sockets.keys()) if (socket.bytesRead === 0) socket.destroy();
  };

  /** Closes idle connections once no request has arrived for a while, until the signal. */
  const closeWhenIdle = async (timeoutMs: number, signal: AbortSignal) => {
    const startedAt = performance.now();
    const [shortest, longest] = [Math.min(graceMs, timeoutMs / 4), Math.min(longestGraceMs, timeoutMs / 2)];
    for (;;) {
      const now = performance.now();
      const waitMs = Math.min(Math.max(startedAt, requestedAt) + shortest, startedAt + longest) - now;
      if (waitMs <= 0) break;
      await sleep(waitMs, undefined, { signal });
    }
    for (;;) {
      // Reads what has arrived while the process was busy: closing its connection would lose the request.
      await turn(undefined, { signal });
      closeIdle();
      await sleep(idleCheckMs, undefined, { signal });
    }
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
      await acceptPending(() => accepted, timeoutMs / 2);
      // Closes only the listening socket. `http.Server.close` would first close idle connections while others arrive.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      const grace = new AbortController();
      const idle = closeWhenIdle(timeoutMs, grace.signal);
      idle.catch(() => {});
      await closed;
      grace.abort();
      clearTimeout(late);
      return wasCut;
    },
  };
}

/**
 * Accepts the connections that are queued in the kernel, which closing the listening socket would reset. Each turn of the
 * event loop accepts one. After a short turn without one, the queue is empty.
 */
async function acceptPending(accepted: () => number, forMs: number): Promise<void> {
  const [startedAt, acceptedBefore] = [performance.now(), accepted()];
  let turnedAt = startedAt;
  // The first turn can end before the event loop has polled for connections.
  for (let turns = 0; turnedAt - startedAt < forMs; turns++) {
    const [before, beganAt] = [accepted(), turnedAt];
    await turn();
    turnedAt = performance.now();
    if (turns > 0 && accepted() === before && turnedAt - beganAt < 2) return;
    if (accepted() - acceptedBefore >= drainedConnections) return;
  }
}

/**
 * Closes the responses of a closed connection that wait for the response before them. Node.js does not, so that such a request would
 * be in progress for ever.
 */
function closeUnsent(responses: ReadonlySet<ServerResponse>): void {
  for (const res of responses) {
    res.destroy();
    res.emit('close');
  }
}

/** Closes the connection of a request that was answered before it fully arrived, unless the rest arrives soon. */
function endUnread(req: IncomingMessage): void {
  const { socket } = req;
  if (socket.destroyed) return;
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  req.once('end', () => clearTimeout(timer));
  req.once('close', () => clearTimeout(timer));
}

/** Closes connections that had the time of a response to read it, and have sent no request since. */
function cutIdleReaders(unread: Map<Socket, number>, timeoutMs: number): void {
  const now = performance.now();
  for (const [socket, since] of unread) if (now - since > timeoutMs) socket.destroy();
}

/** Whether a response is a stream of events, which does not end by itself. */
export const isStream = (res: ServerResponse) =>
  String(res.getHeader('content-type') ?? '').startsWith('text/event-stream');

/** Disconnects clients that take too long to read a response, which is kept in memory until then. */
function cutSlowReaders(answers: Map<ServerResponse, number | undefined>, timeoutMs: number): void {
  const now = performance.now();
  for (const [res, since] of answers) {
    // Event streams do not end.
    if (!res.headersSent || (isStream(res) && !res.writableEnded)) continue;
    if (since === undefined) answers.set(res, now);
    else if (now - since > timeoutMs) res.destroy();
  }
}
