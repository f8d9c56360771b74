import { UnavailableError } from '../../kernel/errors.ts';
import { transactionOptions } from '../database.ts';

/** Prisma ends a transaction later than `inTime` does, which also cancels its statement. */
export const prismaOptions = { maxWait: transactionOptions.maxWait, timeout: 2 * transactionOptions.timeout };

/** Rejects if the work takes longer than a transaction may. It may be under way then, so that `late` has to end it. */
export function inTime<T>(work: Promise<T>, late: (error: UnavailableError) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const error = new UnavailableError('The change took too long. Try again later.');
      late(error);
      reject(error);
    }, transactionOptions.timeout).unref();
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
