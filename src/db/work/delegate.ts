import type { Transaction } from '../open.ts';
import type { Model } from '../tables.ts';

type Columns = { [name: string]: unknown };

/** The used methods of Prisma for any one table. */
interface Delegate {
  findMany: (query: object) => Promise<Columns[]>;
  createMany: (query: object) => Promise<{ count: number }>;
  updateMany: (query: object) => Promise<{ count: number }>;
  deleteMany: (query: object) => Promise<{ count: number }>;
}

export const delegateOf = (tx: Transaction, model: Model): Delegate =>
  (tx as unknown as { [name: string]: Delegate })[model[0]!.toLowerCase() + model.slice(1)]!;
