import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { createRecordKey, type RecordKey } from './record-key.ts';

/** Encrypts secrets at rest, and signs the record. */
export interface Seal {
  /** The ids of the keys with which it decrypts. It encrypts with the first. */
  readonly keyIds: readonly string[];
  /** The key that signs the seals of the record. */
  readonly recordKey: RecordKey;
  close(plain: string): string;
  open(sealed: string): string;
  /** The signature of a text that clients give back, of 22 characters. Those for different purposes differ. */
  sign(purpose: string, text: string): string;
}

/** The id of a key, which does not reveal it. */
const idOfKey = (key: Buffer): string =>
  createHmac('sha256', key).update('key id').digest('base64url').slice(0, 8);

/** AES-256-GCM: `v1.` then base64url of 12 bytes nonce, 16 bytes tag and the cipher text. `key` is 32 bytes. */
export function createSeal(key: Buffer): Seal {
  let recordKey: RecordKey | undefined;
  let signatureKey: Buffer | undefined;
  return {
    keyIds: [idOfKey(key)],
    get recordKey() {
      recordKey ??= createRecordKey(key);
      return recordKey;
    },
    sign(purpose, text) {
      signatureKey ??= createHmac('sha256', key).update('signatures').digest();
      const signature = createHmac('sha256', signatureKey).update(JSON.stringify([purpose, text]));
      return signature.digest('base64url').slice(0, 22);
    },
    close(plain) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
    },
    open(sealed) {
      if (!sealed.startsWith('v1.')) throw new Error('A sealed value of an unknown version.');
      const bytes = Buffer.from(sealed.slice(3), 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
    },
  };
}
