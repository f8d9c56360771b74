import type { Opened } from '../database.ts';
import { withUnavailable } from './unavailable.ts';

/**
 * Starts no transaction once the database is being closed, and closes it after the ones that run. A client of Prisma that
 * is disconnected while one of its transactions begins never returns the connection, and the pool never ends.
 */
export function closedInOrder(opened: Opened): Opened {
  const running = new Set<Promise<unknown>>();
  let isClosed = false;
  return {
    ...opened,
    async transaction(...call) {
      if (isClosed) throw withUnavailable(new Error('The database is closed.'));
      const transaction = opened.transaction(...call);
      running.add(transaction);
      try {
        return await transaction;
      } finally {
        running.delete(transaction);
      }
    },
    async close() {
      isClosed = true;
      await Promise.allSettled(running);
      await opened.close();
    },
  };
}
