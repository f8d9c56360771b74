import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { closerOf } from './close-server.ts';

/** A message that a receiver has got. */
export interface ReceivedMessage {
  path: string;
  headers: IncomingHttpHeaders & Record<string, string | undefined>;
  body: string;
  /** The parsed body. */
  payload: any;
}

/** What a receiver does with a message. */
export type ReceiverHandler = (message: ReceivedMessage, response: ServerResponse) => void;

export interface WebhookReceiver {
  url: string;
  /** The messages, in the order of their arrival. */
  messages: ReceivedMessage[];
  /** Messages to a path. */
  to(path: string): ReceivedMessage[];
  /** The most requests that were open at once. */
  mostOpen(): number;
  /** Bytes that its sockets, open or closed, took for sending. */
  bytesWritten(): number;
  handler: ReceiverHandler;
  close(): Promise<void>;
}

export const accept: ReceiverHandler = (_, response) => void response.writeHead(204).end();

/** A real server on loopback that does with messages what its handler does, which can change. */
export async function startReceiver(
  handler: ReceiverHandler = accept,
  tls?: { key: string; cert: string },
): Promise<WebhookReceiver> {
  const messages: ReceivedMessage[] = [];
  const sockets = new Set<Socket>();
  let [written, open, most] = [0, 0, 0];
  const listener: RequestListener = (request, response) => {
    most = Math.max(most, ++open);
    response.once('close', () => open--);
    response.on('error', () => {});
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const message = {
        path: request.url!,
        headers: request.headers as any,
        body,
        payload: JSON.parse(body),
      };
      messages.push(message);
      receiver.handler(message, response);
    });
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => {
      sockets.delete(socket);
      written += socket.bytesWritten;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: WebhookReceiver = {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    messages,
    to: (path) => messages.filter((message) => message.path === path),
    mostOpen: () => most,
    bytesWritten: () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, written),
    handler,
    close: closerOf(server),
  };
  return receiver;
}
