import type pg from 'pg';

/**
 * For the `connect` event of a pool. A connection in use needs a listener: without one, an error that arrives while none of its statements
 * is under way ends the process. One added after the pool has given the connection out can be too late: the server can end a session in
 * the packet with which it begins.
 */
export const hearErrors = (client: pg.PoolClient): void => void client.on('error', () => {});
