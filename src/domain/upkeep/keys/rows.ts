import type { Transaction } from '../../../db/open.ts';

export const insertRotation = (
  tx: Transaction,
  rotation: { keyId: string; fromKeyId: string; beganAt: Date },
): Promise<unknown> => tx.keyRotation.createMany({ data: [rotation] });

export const countValues = (tx: Transaction, keyId: string, count: number): Promise<unknown> =>
  tx.keyRotation.updateMany({ where: { keyId }, data: { encryptedValues: { increment: count } } });

export const finishRotation = (tx: Transaction, keyId: string, finishedAt: Date): Promise<unknown> =>
  tx.keyRotation.updateMany({ where: { keyId }, data: { finishedAt } });
