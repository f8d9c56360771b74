import type { Server } from 'node:http';
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
