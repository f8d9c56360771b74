import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

it('is at most 150 KB with gzip', async () => {
  const get = async (path: string) => {
    const response = await fetch(trellis.url + path, { headers: { Accept: 'text/html' } });
    expect(response.status, path).toBe(200);
    return response.text();
  };
  const page = await get('/');
  const assets = [...page.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, path]) => path!);
  expect(assets.length).toBeGreaterThan(1);
  const sizes = await Promise.all(assets.map(async (path) => gzipSync(await get(path)).length));
  expect(sizes.reduce((sum, size) => sum + size, gzipSync(page).length)).toBeLessThan(150_000);
});
