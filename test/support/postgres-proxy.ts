import { connect as connectTo, createServer, type Server, type Socket } from 'node:net';

export interface PostgresProxy {
  /** The address of the database through the proxy. */
  url: string;
  close(): Promise<void>;
}

/** What happens to the data of a session, by default that it is passed on. */
export interface ProxiedSession {
  fromClient?(data: Buffer, upstream: Socket): void;
  fromServer?(data: Buffer, client: Socket): void;
}

/** Stands before a Postgres. */
export async function startPostgresProxy(
  target: URL,
  sessionOf: () => ProxiedSession,
): Promise<PostgresProxy> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    const upstream = connectTo(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => [client, upstream].map((each) => each.destroy()));
    }
    const { fromClient, fromServer } = sessionOf();
    client.on('data', (data) => (fromClient ? fromClient(data, upstream) : upstream.write(data)));
    upstream.on('data', (data) => (fromServer ? fromServer(data, client) : client.write(data)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as { port: number }).port);
  return {
    url: url.href,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
