import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Returns what closes a server at once, with all its connections. `closeAllConnections` leaves out those whose TLS handshake is
 * under way: such a server would stay open until a client that does not know of its end leaves.
 */
export function closerOf(server: Server): () => Promise<void> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
    });
}
