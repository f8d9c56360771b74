// Loaded into a process, whose HTTP server then accepts connections at UNIX_SOCKET as well. For a client that does not
// read, the kernel keeps up to 4 MB at a TCP socket of the same machine, and 200 KB at this one.
import { createServer, Server } from 'node:net';

const { listen } = Server.prototype;
Server.prototype.listen = function (...args) {
  // The server of metrics accepts any number.
  if (this.maxConnections > 0) {
    listen.call(
      createServer((socket) => this.emit('connection', socket)),
      process.env.UNIX_SOCKET,
    );
  }
  return listen.apply(this, args);
};
