import { setTimeout as sleep } from 'node:timers/promises';
import { runningGateways } from '../db/gateways.ts';
import type { Database } from '../db/open.ts';
import { anySealed, requireReadable, resealAll, UnreadableValueError } from '../db/sealed.ts';
import { change } from '../db/write/change.ts';
import { asTrellis } from '../domain/access-token/bootstrap-operations.ts';
import { retireKey } from '../domain/event/seals/rows.ts';
import { lastRotation, type Rotation } from '../domain/upkeep/keys/reads.ts';
import { countValues, finishRotation, insertRotation } from '../domain/upkeep/keys/rows.ts';
import { createRecordKey } from '../kernel/record-key.ts';
import { createSeal, type Seal } from '../kernel/seal.ts';
import { CommandError } from './command.ts';

interface Keys {
  from: Buffer;
  to: Buffer;
}

interface RotationOptions {
  /** Throws unless the gateways that are running have the new key. */
  requireGateways(keyId: string): Promise<void>;
  /** Whether gateways may be running that do not encrypt with the new key. */
  isForced: boolean;
  /** Waits for longer than a transaction of a gateway, which can store a value that it has read before the rotation. */
  settle?(): Promise<void>;
}

/** How often it is looked whether gateways encrypt with the new key, which they find with their next sign of life. */
const lookEveryMs = 500;

/**
 * Encrypts all values with another key while gateways are running. From the beginning, gateways need both keys, and encrypt with the
 * new one. Returns the number of values, or undefined if there was nothing to do. When it was interrupted, it goes on.
 */
export async function rotateKey(
  db: Database,
  { from, to }: Keys,
  { requireGateways, isForced, settle = () => sleep(65_000) }: RotationOptions,
): Promise<number | undefined> {
  const [enterprise] = await db.query('SELECT id FROM enterprise ORDER BY created_at LIMIT 1', []);
  if (!enterprise) return 0;
  const seal = createSeal(from, to);
  const [fromKeyId, keyId] = seal.keyIds as [string, string];
  const last = await lastRotation(db);
  const isSame = last?.keyId === keyId;
  if (isSame && last.isFinished) return undefined;
  await requireGateways(keyId);
  if (isSame) requireResumable(last, fromKeyId);
  else await begin(db, seal, { from, to }, last);
  seal.encryptWith(keyId);
  if (!isForced) await untilUsed(db, keyId);
  await resealUntilNone(db, seal, settle);
  return finish(db, enterprise[0] as string, keyId);
}

function requireResumable(rotation: Rotation, fromKeyId: string): void {
  if (rotation.fromKeyId === fromKeyId) return;
  throw new CommandError(
    `The rotation to NEW_SECRET_KEY began with another SECRET_KEY, ${rotation.fromKeyId}.`,
  );
}

/** Begins a rotation, if all values can be decrypted. */
async function begin(
  db: Database,
  seal: Seal,
  { from, to }: Keys,
  last: Rotation | undefined,
): Promise<void> {
  const [fromKeyId, keyId] = seal.keyIds as [string, string];
  if (last && !last.isFinished) {
    throw new CommandError(
      `A rotation to another key, ${last.keyId}, has not ended. End it first with that key as NEW_SECRET_KEY.`,
    );
  }
  await requireReadableBy(db, seal, keyId);
  const [fromKey, toKey] = [createRecordKey(from), createRecordKey(to)];
  await db.transaction(async (tx) => {
    const isUsed =
      (await tx.recordKey.findUnique({ where: { id: toKey.id } })) ??
      (await tx.keyRotation.findFirst({ where: { OR: [{ keyId }, { fromKeyId: keyId }] } }));
    if (isUsed) throw new CommandError('NEW_SECRET_KEY was used before. Take a new key.');
    await retireKey(tx, fromKey, toKey);
    await insertRotation(tx, { keyId, fromKeyId, beganAt: new Date() });
  });
}

async function requireReadableBy(db: Database, seal: Seal, keyId: string): Promise<void> {
  const any = await anySealed(db);
  try {
    if (any !== undefined) seal.open(any);
    await requireReadable(db, seal, keyId);
  } catch (error) {
    const what = error instanceof UnreadableValueError ? error.message : 'The database';
    throw new CommandError(`${what} cannot be decrypted with SECRET_KEY. Nothing was changed.`);
  }
}

/** Resolves when all gateways that are running encrypt with a key. */
async function untilUsed(db: Database, keyId: string): Promise<void> {
  for (;;) {
    const gateways = await runningGateways((text) => db.query(text, []), db.dialect);
    if (gateways.every(({ keyIds }) => keyIds[0] === keyId)) return;
    await sleep(lookEveryMs);
  }
}

/** Encrypts values until there are none, also of those that gateways have read before and store again. */
async function resealUntilNone(db: Database, seal: Seal, settle: () => Promise<void>): Promise<void> {
  const keyId = seal.keyIds[0]!;
  for (let isSettled = false; ; isSettled = true) {
    const gateways = await runningGateways((text) => db.query(text, []), db.dialect);
    const isShared = gateways.length > 0;
    const count = await resealAll(db, seal, {
      counted: (tx, some) => countValues(tx, keyId, some),
      // On SQLite, a gateway gets its turn to write in between.
      pause: async (tookMs) => isShared && sleep(tookMs),
    });
    if (count === 0 && (isSettled || !isShared)) return;
    if (isShared) await settle();
  }
}

/** Records the rotation. Gateways no longer need the old key. */
async function finish(db: Database, enterpriseId: string, keyId: string): Promise<number> {
  const context = asTrellis(db, enterpriseId, 'rotate-key command');
  return change(context, 'secret_key.rotate', async ({ tx, recordEvent }) => {
    await finishRotation(tx, keyId, new Date());
    const { encryptedValues } = await tx.keyRotation.findUniqueOrThrow({ where: { keyId } });
    recordEvent({ subject: { type: 'Enterprise', id: enterpriseId }, after: { encryptedValues } });
    return encryptedValues;
  });
}
