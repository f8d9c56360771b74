import { createHash, createPrivateKey, createPublicKey, hkdfSync, sign, verify } from 'node:crypto';

/** The public part of a key that signs seals. */
export interface PublicKey {
  /** The thumbprint of the key (RFC 7638). */
  id: string;
  /** The 32 bytes of the key, base64url. */
  publicKey: string;
}

export interface RecordKey extends PublicKey {
  /** The signature of a text, base64url. */
  sign(text: string): string;
}

/** The start of a private key in PKCS #8, before its 32 bytes. @see https://www.rfc-editor.org/rfc/rfc8410 */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** The public key as a JSON Web Key (RFC 8037). */
export const jwkOf = ({ id, publicKey }: PublicKey) => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x: publicKey,
  kid: id,
  use: 'sig',
  alg: 'EdDSA',
});

/** The id of a public key: the thumbprint of its required members, in the order of their names. */
export const keyIdOf = (publicKey: string): string =>
  sha256(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x: publicKey }));

/** The Ed25519 key that follows from SECRET_KEY by HKDF-SHA-256. */
export function createRecordKey(secretKey: Buffer): RecordKey {
  const seed = Buffer.from(hkdfSync('sha256', secretKey, '', 'trellis record seal', 32));
  const privateKey = createPrivateKey({
    key: Buffer.concat([pkcs8Prefix, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const publicKey = createPublicKey(privateKey).export({ format: 'jwk' }).x!;
  return {
    id: keyIdOf(publicKey),
    publicKey,
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64url'),
  };
}

/** Whether the signature of a text is of this key. False for keys and signatures that are none. */
export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
    return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}
