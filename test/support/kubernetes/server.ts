import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { issue } from '../certificates.ts';
import { closerOf } from '../close-server.ts';
import { Cluster, type ClusterOptions } from './cluster.ts';

/** A cluster that clients reach over HTTPS. */
export interface FakeServer {
  cluster: Cluster;
  url: string;
  caCertificate: string;
  /** Stops answering, or answers again. */
  setDown(isDown: boolean): void;
  /** Closes connections instead of answering the next request on them, as if they had been idle for too long. */
  dropUsed(): void;
  /** What a request waits for before it arrives, although its client may have gone. */
  late: ((request: { method: string; path: string }) => Promise<void> | undefined) | undefined;
  /** Keeps the events of watches back, or sends them. Those of watches that end meanwhile are lost. */
  holdWatches(isHeld: boolean): void;
  close(): Promise<void>;
}

/** Starts an API server on a free port. Its administrator has the token `admin`. */
export async function startCluster(options: ClusterOptions = {}): Promise<FakeServer> {
  const cluster = new Cluster({ stepMs: 5, ...options });
  const authority = await issue({ subject: 'CN=kubernetes', isAuthority: true });
  const own = await issue({
    issuer: authority,
    names: ['localhost'],
    others: [{ type: 'ip', value: '127.0.0.1' }],
  });
  let late: FakeServer['late'];
  let isDown = false;
  let isHeld = false;
  const flushes = new Set<() => void>();
  const sockets = new Set<Socket>();
  let used = new Set<Socket>();
  const server: Server = createServer({ cert: own.pem, key: own.key }, async (incoming, outgoing) => {
    if (isDown || used.has(incoming.socket)) return void incoming.socket.destroy();
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const token = /^Bearer (.+)$/.exec(incoming.headers.authorization ?? '')?.[1];
    const request = {
      method: incoming.method!,
      path: incoming.url!,
      contentType: incoming.headers['content-type'],
      accept: incoming.headers.accept,
      body: Buffer.concat(chunks).toString(),
    };
    await late?.(request);
    const answer = cluster.handle(request, token);
    if ('start' in answer) {
      outgoing.writeHead(200, { 'content-type': 'application/json' });
      outgoing.flushHeaders();
      const waiting: string[] = [];
      const flush = () => {
        for (const text of waiting.splice(0)) outgoing.write(text);
      };
      const stop = answer.start(
        (piece) => {
          waiting.push(typeof piece === 'string' ? piece : `${JSON.stringify(piece)}\n`);
          if (!isHeld) flush();
        },
        () => {
          flushes.delete(flush);
          outgoing.end();
        },
      );
      flushes.add(flush);
      outgoing.on('close', () => {
        flushes.delete(flush);
        stop();
      });
      return;
    }
    const isText = typeof answer.body === 'string';
    outgoing.writeHead(answer.status, {
      'content-type': isText ? 'text/plain' : 'application/json',
      ...answer.headers,
    });
    outgoing.end(isText ? answer.body : JSON.stringify(answer.body));
  });
  server.on('secureConnection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const close = closerOf(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const started: FakeServer = {
    get late() {
      return late;
    },
    set late(wait) {
      late = wait;
    },
    cluster,
    url: `https://127.0.0.1:${port}`,
    caCertificate: authority.pem,
    setDown(is) {
      isDown = is;
      if (is) server.closeAllConnections();
    },
    dropUsed() {
      used = new Set(sockets);
    },
    holdWatches(is) {
      isHeld = is;
      if (!is) for (const flush of flushes) flush();
    },
    async close() {
      cluster.stop();
      await close();
    },
  };
  return started;
}
