import { createCipheriv } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSeal, sealedPrefix } from '../../src/kernel/seal.ts';

const [oldKey, newKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

/** A value as earlier versions encrypted it, without the id of the key. */
function closedByEarlierVersion(key: Buffer, plain: string): string {
  const nonce = Buffer.alloc(12, 7);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
}

describe('a seal', () => {
  it('names the key in what it encrypts, and does not reveal it', () => {
    const seal = createSeal(oldKey);
    const [id] = seal.keyIds as [string];
    const sealed = seal.close('secret');
    expect(sealed.startsWith(sealedPrefix(id))).toBe(true);
    expect(seal.open(sealed)).toBe('secret');
    expect(oldKey.toString('base64url')).not.toContain(id);
    expect(() => createSeal(newKey).open(sealed)).toThrow('unknown version or key');
  });

  it('opens values of earlier versions with each of its keys', () => {
    for (const key of [oldKey, newKey]) {
      const sealed = closedByEarlierVersion(key, 'secret');
      expect(createSeal(oldKey, newKey).open(sealed)).toBe('secret');
      expect(() => createSeal(Buffer.alloc(32, 3)).open(sealed)).toThrow();
    }
  });

  it('encrypts with the old key until it is to use the new one, and opens and checks both', () => {
    const seal = createSeal(oldKey, newKey);
    const [from, to] = seal.keyIds as [string, string];
    const [before, signed] = [seal.close('one'), seal.sign('ids', 'text')];
    expect(before.startsWith(sealedPrefix(from))).toBe(true);
    expect(seal.encryptWith('none')).toBe(false);
    expect(seal.encryptWith(to)).toBe(true);
    expect(seal.keyIds).toEqual([to, from]);
    const after = seal.close('two');
    expect(after.startsWith(sealedPrefix(to))).toBe(true);
    expect([before, after].map((each) => seal.open(each))).toEqual(['one', 'two']);
    expect(seal.sign('ids', 'text')).not.toBe(signed);
    expect(seal.isSigned('ids', 'text', signed)).toBe(true);
    expect(seal.isSigned('ids', 'text', seal.sign('ids', 'text'))).toBe(true);
    expect(seal.isSigned('others', 'text', signed)).toBe(false);
  });

  it('signs no seal of the record with the old key after one with the new key', () => {
    const seal = createSeal(oldKey, newKey);
    const [old, next] = [createSeal(oldKey).recordKey.id, createSeal(newKey).recordKey.id];
    const signerAfter = (id?: string) => seal.recordKeyAfter(id).id;
    expect([signerAfter(), signerAfter(old), signerAfter(next)]).toEqual([old, old, next]);
    seal.encryptWith(seal.keyIds[1]!);
    expect([signerAfter(), signerAfter(old), signerAfter(next)]).toEqual([next, next, next]);
  });

  it('has one key if both are the same', () => {
    expect(createSeal(oldKey, oldKey).keyIds).toHaveLength(1);
  });
});
