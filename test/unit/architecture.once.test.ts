import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const src = fileURLToPath(new URL('../../src', import.meta.url));

/** Arrows run one way: a room imports from itself and from what stands before it. */
const rooms = [
  ['kernel'],
  ['db'],
  ['drivers'],
  ['context'],
  ['http'],
  ['graphql', 'rest'],
  ...[
    'enterprise',
    'user',
    'access-token',
    'team',
    'event',
    'certificate',
    'region',
    'application',
    'component',
    'port',
  ].map((room) => [room]),
  ['gateway-rule'],
  ['app-store'],
  ['api'],
  ['app', 'config'],
  ['open'],
  ['main', 'commands'],
];
const layers = ['model', 'reads', 'rows', 'operations', 'graphql', 'rest'];

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.includes('generated'))
  .map((file) => file.replaceAll('\\', '/'));
const nameOf = (file: string) =>
  file
    .replace(/^domain\//, '')
    .split('/')[0]!
    .replace(/\.ts$/, '');
const roomOf = (file: string) => rooms.findIndex((names) => names.includes(nameOf(file)));
const layerOf = (file: string) =>
  layers.findIndex((layer) => file.split('/').at(-1)!.replace('.ts', '').endsWith(layer));

const imports = files.flatMap((file) =>
  [...readFileSync(join(src, file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(
    (match) => ({
      file,
      target: relative(src, resolve(dirname(join(src, file)), match[1]!)).replaceAll('\\', '/'),
    }),
  ),
);

describe('the house', () => {
  it('has a place for every file', () => {
    expect(files.filter((file) => roomOf(file) < 0)).toEqual([]);
  });

  it('has arrows that run one way', () => {
    expect(imports.length).toBeGreaterThan(200);
    const wrong = imports.filter(({ file, target }) => {
      if (target.startsWith('..') || target.includes('generated')) return false;
      if (nameOf(file) === nameOf(target)) return layerOf(target) > layerOf(file) && layerOf(file) >= 0;
      // The database's door and its lists know who asks and which page; the kernel knows nothing of it.
      return roomOf(target) >= roomOf(file);
    });
    expect(wrong).toEqual([]);
  });

  it('imports database drivers and the generated clients in db/ only', () => {
    const drivers = /(?:from|import)\s*\(?\s*'(pg|better-sqlite3|@prisma\/[^']+|[^']*\/generated\/[^']+)'/;
    const importing = files.filter((file) => drivers.test(readFileSync(join(src, file), 'utf8')));
    expect(importing.length).toBeGreaterThan(5);
    expect(importing.filter((file) => !file.startsWith('db/'))).toEqual([]);
  });
});
