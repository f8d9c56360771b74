import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import pg from 'pg';

/** Fields of the driver's client that its types do not declare. */
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

/** How long the server may take to accept the request. */
const timeoutMs = 5_000;

/**
 * Asks the server to cancel the statement that the client's session is running when the request arrives. By then the
 * session may be running another statement or none, so callers must handle both. Resolves when the server has
 * accepted the request or cannot be reached. Also works behind a pooler, which issues its own cancel keys.
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
    // The server closes the connection without a response.
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
