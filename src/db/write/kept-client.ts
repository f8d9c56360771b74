import { UnavailableError } from '../../kernel/errors.ts';
import { type Transaction, transactionOptions, withMethods } from '../database.ts';
import type { PrismaClient } from '../generated/sqlite/client.ts';

/** What a transaction uses, kept for the next one on the same connection. */
export interface KeptClient {
  tx: Transaction;
  openedAt: number;
  end(): void;
}

/** The longest that a timer can wait. Prisma ends its transaction then, so that the client is replaced before. */
const longestMs = 2 ** 31 - 1;

/** Whether another client has to be kept before the next transaction. */
export const isWornOut = ({ openedAt }: KeptClient): boolean => performance.now() - openedAt > longestMs / 2;

/**
 * Begins a transaction of Prisma in which one transaction of the database follows the other. Prisma makes a client with
 * a property for each model whenever one of its transactions begins, which takes as long as a statement.
 */
export function keepClient(
  client: PrismaClient,
  methods: Pick<Transaction, '$read' | '$write' | '$later'>,
): Promise<KeptClient> {
  return new Promise((resolve, reject) => {
    client
      .$transaction(
        (tx) =>
          new Promise<void>((end) =>
            resolve({ tx: withMethods(tx, methods), openedAt: performance.now(), end }),
          ),
        { maxWait: transactionOptions.maxWait, timeout: longestMs },
      )
      .catch(reject);
  });
}

/** Whether a statement that Prisma logs is the end of the transaction that lasts, which no database gets. */
export const isEndOfKept = (text: string): boolean => text === 'COMMIT' || text.startsWith('-- Implicit');

/** Rejects if the work takes longer than a transaction may. It may be under way then, so that `late` has to end it. */
export function inTime<T>(work: Promise<T>, late: (error: UnavailableError) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const error = new UnavailableError('The change took too long. Try again later.');
      late(error);
      reject(error);
    }, transactionOptions.timeout).unref();
    work.then(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
