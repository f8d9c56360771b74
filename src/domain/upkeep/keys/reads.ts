import type { Database } from '../../../db/open.ts';
import { columnOf, tableOf } from '../../../db/tables.ts';
import type { Seal } from '../../../kernel/seal.ts';

/** A change of the key that encrypts stored values. */
export interface Rotation {
  keyId: string;
  fromKeyId: string;
  encryptedValues: number;
  isFinished: boolean;
}

const column = (field: string) => columnOf('KeyRotation', field).column;

export async function lastRotation(db: Pick<Database, 'query'>): Promise<Rotation | undefined> {
  const columns = ['keyId', 'fromKeyId', 'encryptedValues', 'finishedAt'].map(column).join(', ');
  const [row] = await db.query(
    `SELECT ${columns} FROM ${tableOf('KeyRotation').table} ORDER BY ${column('beganAt')} DESC LIMIT 1`,
    [],
  );
  if (!row) return undefined;
  const [keyId, fromKeyId, encryptedValues, finishedAt] = row;
  return {
    keyId: keyId as string,
    fromKeyId: fromKeyId as string,
    encryptedValues: Number(encryptedValues),
    isFinished: finishedAt !== null,
  };
}

/**
 * Encrypts with the key of the last rotation from now on. Returns why the keys of a seal are not enough for the values of the
 * database, and undefined if they are.
 */
export async function followRotation(db: Pick<Database, 'query'>, seal: Seal): Promise<string | undefined> {
  const rotation = await lastRotation(db);
  if (!rotation) return undefined;
  const { keyId, fromKeyId, isFinished } = rotation;
  if (!seal.encryptWith(keyId)) {
    return `SECRET_KEY does not match the key that encrypted the secrets in this database, which is ${keyId}`;
  }
  if (isFinished || seal.keyIds.includes(fromKeyId)) return undefined;
  return `npm run rotate-key has not ended, and SECRET_KEY is not the key ${fromKeyId} before the rotation`;
}
