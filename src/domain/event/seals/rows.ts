import type { Database, Transaction } from '../../../db/open.ts';
import { type Bulk, deleteByIds } from '../../../db/write/bulk.ts';
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

/**
 * Marks a seal whose events are deleted because their time is over, with a signature. It keeps their hashes until all of
 * them are deleted, so that those that are still there can be verified.
 */
export async function markDeleted(
  tx: Transaction,
  seal: Seal,
  key: RecordKey,
  deletedAt = new Date(),
): Promise<void> {
  await tx.recordSeal.update({
    where: { id: seal.id },
    data: {
      deletedAt,
      deletionKeyId: key.id,
      deletionSignature: key.sign(deletionText(seal, deletedAt, key.id)),
    },
    select: { id: true },
  });
}

/** Deletes events under a seal that is marked as deleted and, with the last of them, their hashes. Returns their number. */
export async function deleteSealedEvents(
  write: Bulk & { tx: Transaction },
  { seal, ids, isLast }: { seal: Seal; ids: readonly number[]; isLast: boolean },
): Promise<number> {
  await deleteByIds(write, 'Event', ids);
  if (isLast)
    await write.tx.recordSeal.update({
      where: { id: seal.id },
      data: { digests: null },
      select: { id: true },
    });
  return ids.length;
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
