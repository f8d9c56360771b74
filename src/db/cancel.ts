import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import pg from 'pg';

/** What the driver does not declare of itself. */
interface Internals {
  processID: number | null;
  secretKey: number | null;
  host: string;
  port: number;
  ssl: unknown;
  sslNegotiation: string;
  connection: EventEmitter & {
    stream: Duplex;
    connect(port: number | string, host?: string): void;
    requestSsl(): void;
    cancel(processID: number, secretKey: number): void;
  };
}

/** How long the server may take to take the request. */
const timeoutMs = 5_000;

/**
 * Asks the server to cancel what the client's session runs at the moment the request arrives, which may be
 * something else by then, or nothing: who asks has to be ready for that. Resolves when the server has taken
 * the request, or cannot be reached. Works behind a pooler too, which hands out keys of its own.
 *
 * @see https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS
 */
export function cancelRunning(client: pg.ClientBase, settings: pg.ClientConfig): Promise<void> {
  const { processID, secretKey } = client as unknown as Internals;
  if (processID === null || secretKey === null) return Promise.resolve();
  const { connection, host, port, ssl, sslNegotiation } = new pg.Client(settings) as unknown as Internals;
  return new Promise((resolve) => {
    const timer = setTimeout(() => connection.stream.destroy(), timeoutMs).unref();
    const finish = () => {
      clearTimeout(timer);
      connection.stream.destroy();
      resolve();
    };
    // The server answers nothing, and closes the connection.
    connection.on('end', finish);
    connection.on('error', finish);
    const send = () => connection.cancel(processID, secretKey);
    if (!ssl) connection.on('connect', send);
    else {
      if (sslNegotiation !== 'direct') connection.on('connect', () => connection.requestSsl());
      connection.on('sslconnect', send);
    }
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`);
    else connection.connect(port, host);
  });
}
