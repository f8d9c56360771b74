import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { createRecordKey, type RecordKey } from './record-key.ts';
import { isSameSecret } from './same-secret.ts';

/** Encrypts secrets at rest, and signs the record. */
export interface Seal {
  /** The ids of the keys with which it decrypts. It encrypts with the first. */
  readonly keyIds: readonly string[];
  /** The key that signs the seals of the record. */
  readonly recordKey: RecordKey;
  /** The key that signs a seal of the record after one with this key: a key signs nothing more after the next one has begun. */
  recordKeyAfter(recordKeyId: string | undefined): RecordKey;
  /** Encrypts with another one of its keys from now on. Returns false if it has none with the id. */
  encryptWith(keyId: string): boolean;
  close(plain: string): string;
  open(sealed: string): string;
  /** The signature of a text that clients give back, of 22 characters. Those for different purposes differ. */
  sign(purpose: string, text: string): string;
  /** Whether one of the keys has signed a text. */
  isSigned(purpose: string, text: string, signature: string): boolean;
}

interface Key {
  id: string;
  bytes: Buffer;
  readonly recordKey: RecordKey;
  readonly signatureKey: Buffer;
}

const keyIdLength = 8;

/** The id of a key, which does not reveal it. */
const idOfKey = (key: Buffer): string =>
  createHmac('sha256', key).update('key id').digest('base64url').slice(0, keyIdLength);

function keyOf(bytes: Buffer): Key {
  let recordKey: RecordKey | undefined;
  let signatureKey: Buffer | undefined;
  return {
    id: idOfKey(bytes),
    bytes,
    get recordKey() {
      recordKey ??= createRecordKey(bytes);
      return recordKey;
    },
    get signatureKey() {
      signatureKey ??= createHmac('sha256', bytes).update('signatures').digest();
      return signatureKey;
    },
  };
}

/** The start of all values that are encrypted with a key. */
export const sealedPrefix = (keyId: string): string => `v2.${keyId}.`;

/** The lengths of the prefixes of encrypted values. Values of earlier versions have no key id. */
export const prefixLengths = { v2: sealedPrefix('').length + keyIdLength, v1: 'v1.'.length };

function decrypt({ bytes: key }: Key, text: string): string {
  const bytes = Buffer.from(text, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
}

function signatureOf({ signatureKey }: Key, purpose: string, text: string): string {
  const signature = createHmac('sha256', signatureKey).update(JSON.stringify([purpose, text]));
  return signature.digest('base64url').slice(0, 22);
}

/**
 * AES-256-GCM: `v2.`, the id of the key, `.` and base64url of 12 bytes nonce, 16 bytes tag and the cipher text. The values of earlier
 * versions are `v1.` and the last part alone. Keys are 32 bytes. `key` encrypts, until `encryptWith` says that the one that follows
 * it does; both decrypt.
 */
export function createSeal(key: Buffer, next?: Buffer): Seal {
  const keys = [key, ...(next && !next.equals(key) ? [next] : [])].map(keyOf);
  let active = keys[0]!;
  return {
    get keyIds() {
      return [active, ...keys.filter((each) => each !== active)].map(({ id }) => id);
    },
    get recordKey() {
      return active.recordKey;
    },
    recordKeyAfter(recordKeyId) {
      const begun = keys.findIndex(({ recordKey }) => recordKey.id === recordKeyId);
      return keys[Math.max(begun, keys.indexOf(active))]!.recordKey;
    },
    encryptWith(keyId) {
      const found = keys.find(({ id }) => id === keyId);
      if (found) active = found;
      return found !== undefined;
    },
    sign: (purpose, text) => signatureOf(active, purpose, text),
    isSigned: (purpose, text, signature) =>
      keys.some((key) => isSameSecret(signature, signatureOf(key, purpose, text))),
    close(plain) {
      const { id, bytes } = active;
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', bytes, nonce);
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return `${sealedPrefix(id)}${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
    },
    open(sealed) {
      const found = keys.find(({ id }) => sealed.startsWith(sealedPrefix(id)));
      if (found) return decrypt(found, sealed.slice(sealedPrefix(found.id).length));
      if (!sealed.startsWith('v1.')) throw new Error('A sealed value of an unknown version or key.');
      // The tag shows whether it is the right key.
      for (const [index, each] of keys.entries()) {
        try {
          return decrypt(each, sealed.slice('v1.'.length));
        } catch (error) {
          if (index === keys.length - 1) throw error;
        }
      }
      throw new Error('A seal has at least one key.');
    },
  };
}
