/** A client of one subscription, of which it counts the items. */
import { connect, type Socket } from 'node:net';

export interface Subscriber {
  socket: Socket;
  /** The items so far. */
  told(): number;
}

/** Resolves when the subscription has begun. */
export function subscribe(port: number, request: Buffer): Promise<Subscriber> {
  const next = 'event: next';
  let [told, rest] = [0, ''];
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    socket.on('error', reject);
    socket.on('data', (data) => {
      const text = rest + data.toString('latin1');
      if (/^HTTP\/1.1 [345]|"errors"/.test(text)) reject(new Error(text));
      told += text.split(next).length - 1;
      rest = text.slice(-(next.length - 1));
      if (text.includes('retry: ')) resolve({ socket, told: () => told });
    });
  });
}
