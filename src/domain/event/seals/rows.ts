import type { Database, Transaction } from '../../../db/open.ts';
import type { RecordKey } from '../../../kernel/record-key.ts';
import { deletionText, endorsementText, type Seal } from './model.ts';

/** Adds a seal. Returns false if another process has added one with this number. */
export async function insertSeal(db: Database, seal: Omit<Seal, 'id'>): Promise<boolean> {
  try {
    await db.transaction((tx) => tx.recordSeal.create({ data: seal, select: { id: true } }));
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === 'P2002') return false;
    throw error;
  }
}

/** Deletes the events under seals, whose time is over. The seals stay, and say so with a signature. */
export async function deleteSealedEvents(
  tx: Transaction,
  seals: readonly Seal[],
  key: RecordKey,
): Promise<number> {
  const [first, last] = [seals[0]!, seals.at(-1)!];
  const deletedAt = new Date();
  for (const seal of seals) {
    await tx.recordSeal.update({
      where: { id: seal.id },
      data: {
        digests: null,
        deletedAt,
        deletionKeyId: key.id,
        deletionSignature: key.sign(deletionText(seal, deletedAt, key.id)),
      },
      select: { id: true },
    });
  }
  const { count } = await tx.event.deleteMany({
    where: {
      enterpriseId: first.enterpriseId,
      id: { gte: first.firstEventId, lte: last.lastEventId },
    },
  });
  return count;
}

/** Keeps the public part of a key that is replaced, signed by the one that follows, so that its seals can be verified. */
export async function retireKey(tx: Transaction, from: RecordKey, to: RecordKey): Promise<void> {
  const retiredAt = new Date();
  await tx.recordKey.create({
    data: {
      id: from.id,
      publicKey: from.publicKey,
      endorsedBy: to.id,
      signature: to.sign(endorsementText(from, to.id, retiredAt)),
      retiredAt,
    },
  });
}
