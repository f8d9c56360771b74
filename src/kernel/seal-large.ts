import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Seal } from './seal.ts';

/** Before compressed text. No JSON begins with it. */
const prefix = 'gz.';

/** Encrypts JSON that can have megabytes. It is compressed before, which takes place off the event loop. */
export async function closeLarge(seal: Pick<Seal, 'close'>, json: string): Promise<string> {
  const compressed = await promisify(gzip)(json, { level: 1 });
  return seal.close(`${prefix}${compressed.toString('base64')}`);
}

/** Decrypts what `closeLarge` has made, or JSON that was sealed without compression. */
export async function openLarge(seal: Pick<Seal, 'open'>, sealed: string): Promise<string> {
  const text = seal.open(sealed);
  if (!text.startsWith(prefix)) return text;
  const json = await promisify(gunzip)(Buffer.from(text.slice(prefix.length), 'base64'));
  return json.toString('utf8');
}
