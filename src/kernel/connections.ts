import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Lets `closeIdleConnections` close those as well on which nothing has arrived yet: browsers and load balancers
 * open them ahead, and Node takes them for busy.
 */
export function countUnusedAsIdle(server: Server): Server {
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    closeIdle();
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  };
  return server;
}

/**
 * Says `Connection: close` in every answer from the moment on at which the server is closed, so that no caller sends
 * another request on a connection that is about to end.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-9.6
 */
export function announceClose(server: Server): Server {
  const underWay = new Set<ServerResponse>();
  server.prependListener('request', (_, res: ServerResponse) => {
    if (!server.listening) res.shouldKeepAlive = false;
    underWay.add(res);
    res.once('close', () => underWay.delete(res));
  });
  const close = server.close.bind(server);
  server.close = (done) => {
    for (const res of underWay) res.shouldKeepAlive = false;
    return close(done);
  };
  return server;
}
