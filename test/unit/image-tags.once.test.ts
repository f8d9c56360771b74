import { describe, expect, it } from 'vitest';
import { digestIn, isMoving, tagIn, withDigest } from '../../src/drivers/registry/image.ts';

const digest = `sha256:${'ab'.repeat(32)}`;

describe('the tag of an image', () => {
  it.each([
    ['nginx', 'latest', true],
    ['nginx:latest', 'latest', true],
    ['registry.example:5000/shop/web', 'latest', true],
    ['registry.example:5000/shop/web:main', 'main', true],
    ['web:stable', 'stable', true],
    ['web:sha-4f1c2ab', 'sha-4f1c2ab', true],
    ['web:4f1c2ab', '4f1c2ab', true],
    ['web:vnext', 'vnext', true],
    ['web:1', '1', false],
    ['web:1.29', '1.29', false],
    ['web:v2.0.1', 'v2.0.1', false],
    ['web:8-alpine', '8-alpine', false],
    ['web:20260127', '20260127', false],
    [`web:main@${digest}`, 'main', false],
    [`web@${digest}`, 'latest', false],
  ])('%s is %s', (image, tag, moves) => {
    expect([tagIn(image), isMoving(image)]).toEqual([tag, moves]);
  });

  it('stays beside the digest that it had', () => {
    expect(withDigest('web', digest)).toBe(`web:latest@${digest}`);
    expect(withDigest('registry.example:5000/shop/web:main', digest)).toBe(
      `registry.example:5000/shop/web:main@${digest}`,
    );
    expect(digestIn(withDigest('web:main', digest))).toBe(digest);
    expect(digestIn('web:main')).toBeUndefined();
  });
});
