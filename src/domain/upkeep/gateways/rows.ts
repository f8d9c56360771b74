import type { Transaction } from '../../../db/open.ts';
import type { Row } from '../../../db/tables.ts';

/** Stores a sign of life of a gateway, and removes those that gave the last one before a time. */
export async function noteAlive(tx: Transaction, gateway: Row<'Gateway'>, lapsedBefore: Date): Promise<void> {
  const { id, keyIds, seenAt } = gateway;
  const { count } = await tx.gateway.updateMany({ where: { id }, data: { keyIds, seenAt } });
  if (count === 0) await tx.gateway.createMany({ data: [gateway] });
  await tx.gateway.deleteMany({ where: { seenAt: { lt: lapsedBefore } } });
}

/** Removes a gateway that ends. */
export const removeGateway = (tx: Transaction, id: string): Promise<unknown> =>
  tx.gateway.deleteMany({ where: { id } });
