import type { Database, Transaction } from '../db/open.ts';
import type { KeyHolder } from './held-keys.ts';

/** A request that has a key. */
interface Holding {
  id: string;
  owner: string;
}

interface KeyRecord {
  sealedInput: string;
  ageMs: number;
}

export interface Found extends KeyRecord {
  sealedAnswer: string | null;
  /** Whether a request is being answered that has not been given up. */
  isHeld: boolean;
}

const age = ({ dialect }: Database) => `${dialect.nowMs} - created_at_ms`;

/** A lease that ends later than any was given is of a clock that was set back, and does not count. */
const isHeld = ({ dialect }: Database, leaseMs: number) =>
  `idempotency_key.owner IS NOT NULL
   AND idempotency_key.held_until_ms BETWEEN ${dialect.nowMs} AND ${dialect.nowMs} + ${2 * leaseMs}`;

/**
 * Takes the key for a request, unless another one has it or it has an answer. Creates the record of a key that is
 * unknown. Undefined if it was not taken.
 */
export async function claimKey(
  db: Database,
  { id, sealedInput, owner, holder }: Holding & { sealedInput: string; holder: KeyHolder },
  leaseMs: number,
): Promise<KeyRecord | undefined> {
  const { placeholder, nowMs } = db.dialect;
  const lease = `CAST(${placeholder(4)} AS ${db.dialect.float})`;
  const text = `INSERT INTO idempotency_key (id, sealed_input, owner, held_until_ms, created_at_ms, user_id, service_account_id)
    VALUES (${placeholder(1)}, ${placeholder(2)}, ${placeholder(3)}, ${nowMs} + ${lease}, ${nowMs}, ${placeholder(5)}, ${placeholder(6)})
    ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, held_until_ms = excluded.held_until_ms
    WHERE idempotency_key.sealed_answer IS NULL AND NOT (${isHeld(db, leaseMs)})
    RETURNING sealed_input, ${nowMs} - idempotency_key.created_at_ms`;
  const { userId, serviceAccountId } = holder;
  const [row] = await db.transaction((tx) =>
    tx.$read(text, [id, sealedInput, owner, leaseMs, userId, serviceAccountId]),
  );
  return row && { sealedInput: row[0] as string, ageMs: row[1] as number };
}

export async function findKey(db: Database, id: string, leaseMs: number): Promise<Found | undefined> {
  const [row] = await db.query(
    `SELECT sealed_input, sealed_answer, ${age(db)},
     CASE WHEN ${isHeld(db, leaseMs)} THEN 1 ELSE 0 END
     FROM idempotency_key WHERE id = ${db.dialect.placeholder(1)}`,
    [id],
  );
  if (!row) return undefined;
  const [sealedInput, sealedAnswer, ageMs, held] = row as [string, string | null, number, number];
  return { sealedInput, sealedAnswer, ageMs, isHeld: held === 1 };
}

/** The stored results of a user or service account, and the age of the oldest. */
export async function usageOf(
  db: Database,
  { userId, serviceAccountId }: KeyHolder,
): Promise<{ keys: number; bytes: number; oldestMs: number }> {
  const { placeholder, nowMs } = db.dialect;
  const [row] = await db.query(
    `SELECT count(*), COALESCE(sum(stored_bytes), 0), COALESCE(${nowMs} - min(created_at_ms), 0)
     FROM idempotency_key WHERE ${userId === null ? 'service_account_id' : 'user_id'} = ${placeholder(1)}`,
    [userId ?? serviceAccountId],
  );
  const [keys, bytes, oldestMs] = row!.map(Number) as [number, number, number];
  return { keys, bytes, oldestMs };
}

/** The outcomes of the changes of the request, by the path of their fields. */
export async function resultsOf(db: Database, id: string): Promise<Map<string, string>> {
  const rows = await db.query(
    `SELECT path, sealed_result FROM idempotency_result WHERE key_id = ${db.dialect.placeholder(1)}`,
    [id],
  );
  return new Map(rows as [string, string][]);
}

/**
 * Stores what a change returns, in its transaction. False if the request no longer has the key, so that the change must be
 * rolled back. The record is locked until the commit, so that nobody takes the key meanwhile.
 */
export async function insertResult(
  { dialect }: Database,
  tx: Transaction,
  { id, owner, path, sealedResult }: Holding & { path: string; sealedResult: string },
): Promise<boolean> {
  const value = (number: number) => `CAST(${dialect.placeholder(number)} AS TEXT)`;
  const count = await tx.$write(
    `INSERT INTO idempotency_result (path, sealed_result, key_id) SELECT ${value(1)}, ${value(2)}, id
     FROM idempotency_key WHERE id = ${dialect.placeholder(3)} AND owner = ${dialect.placeholder(4)}${dialect.rowLock ?? ''}`,
    [path, sealedResult, id, owner],
  );
  if (count === 0) return false;
  await countStored(tx, id, sealedResult.length);
  return true;
}

const countStored = (tx: Transaction, id: string, bytes: number) =>
  tx.idempotencyKey.updateMany({ where: { id }, data: { storedBytes: { increment: bytes } } });

/** Stores outcomes of a request that made no change with them. False if the request no longer has the key. */
export async function insertOutcomes(
  db: Database,
  holding: Holding,
  outcomes: ReadonlyMap<string, string>,
): Promise<boolean> {
  return db.transaction((tx) => insertOutcomesIn(db, tx, holding, outcomes));
}

async function insertOutcomesIn(
  db: Database,
  tx: Transaction,
  holding: Holding,
  outcomes: ReadonlyMap<string, string>,
): Promise<boolean> {
  for (const [path, sealedResult] of outcomes) {
    if (!(await insertResult(db, tx, { ...holding, path, sealedResult }))) return false;
  }
  return true;
}

/**
 * Stores the answer and gives the key back. With `outcomes`, the answer is made again from the results and these, which
 * are stored. False if the request no longer has the key.
 */
export async function storeAnswer(
  db: Database,
  holding: Holding,
  sealedAnswer: string,
  outcomes?: ReadonlyMap<string, string>,
): Promise<boolean> {
  const { id, owner } = holding;
  const size = sealedAnswer.length;
  return db.transaction(async (tx) => {
    if (outcomes && !(await insertOutcomesIn(db, tx, holding, outcomes))) return false;
    const { count } = await tx.idempotencyKey.updateMany({
      where: { id, owner },
      data: { sealedAnswer, owner: null, storedBytes: outcomes ? { increment: size } : size },
    });
    // The results were for making the answer again.
    if (count === 1 && !outcomes) await tx.idempotencyResult.deleteMany({ where: { keyId: id } });
    return count === 1;
  });
}

/** Deletes the record of a key whose request has done nothing. */
export async function removeKey(db: Database, { id, owner }: Holding): Promise<void> {
  await db.transaction((tx) => tx.idempotencyKey.deleteMany({ where: { id, owner } }));
}

/** Gives the key back without an answer. */
export async function releaseKey(db: Database, { id, owner }: Holding): Promise<void> {
  await db.transaction((tx) => tx.idempotencyKey.updateMany({ where: { id, owner }, data: { owner: null } }));
}

/** Extends how long requests may hold their keys. */
export async function renewKeys(db: Database, owners: readonly string[], leaseMs: number): Promise<void> {
  const { placeholder, keyTable, encodeList, nowMs, float } = db.dialect;
  const text = `UPDATE idempotency_key SET held_until_ms = ${nowMs} + CAST(${placeholder(1)} AS ${float})
    WHERE owner IN (SELECT key FROM ${keyTable(placeholder(2), 'String')})`;
  await db.transaction((tx) => tx.$write(text, [leaseMs, encodeList(owners)]));
}

const sweptAtOnce = 500;

/** Deletes keys that are older, or only this one if it is, in slices. */
export async function removeExpired(db: Database, keepMs: number, id?: string): Promise<void> {
  const { placeholder, nowMs, float } = db.dialect;
  const one = id === undefined ? '' : ` AND id = ${placeholder(2)}`;
  const text = `DELETE FROM idempotency_key WHERE id IN (SELECT id FROM idempotency_key
    WHERE created_at_ms < ${nowMs} - CAST(${placeholder(1)} AS ${float})${one} LIMIT ${sweptAtOnce})`;
  const params = id === undefined ? [keepMs] : [keepMs, id];
  while ((await db.transaction((tx) => tx.$write(text, params))) === sweptAtOnce);
}
