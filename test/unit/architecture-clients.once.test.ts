import { describe, expect, it } from 'vitest';
import { everyImport, sources } from '../support/imports.ts';
import { consoleDebts } from './console-debts.ts';

/**
 * A file imports from its own folder and from the lines before it. A file beside the folders is a folder of its own. Those of
 * a line do not import each other.
 */
type Order = readonly (readonly string[])[];

/** Each has what the console shows of one subject. They do not know each other. */
const areas = [
  'certificates',
  'create',
  'deploy-hooks',
  'exposure',
  'logs',
  'manifest',
  'map',
  'people',
  'record',
  'regions',
  'registries',
  'releases',
  'rules',
  'runs',
  'search',
  'shell',
  'snapshots',
  'start',
  'store',
  'tree',
  'usage',
  'use',
  'variables',
  'webhooks',
];

const consoleOrder: Order = [
  ['strings', 'styles'],
  ['strings.ts'],
  ['form', 'ui'],
  ['api'],
  ['documents'],
  ['act'],
  areas,
  ['pages'],
  ['places.ts', 'routes.tsx'],
  ['app.tsx'],
  ['main.tsx'],
];

const commandLineOrder: Order = [
  ['context.ts', 'failure.ts'],
  ['text.ts'],
  ['compose', 'secrets.ts'],
  ['documents.ts', 'out.ts', 'show.ts'],
  ['connection.ts', 'plan.ts', 'sign-in.ts'],
  ['api.ts'],
  ['follow.ts', 'operations.ts', 'place.ts'],
  ['named.ts', 'options.ts'],
  ['commands'],
  ['program.ts'],
  ['main.ts'],
];

/** The files of `root` that are in no line of the order, and the imports against it. Paths are relative to `root`. */
function compare(root: string, order: Order) {
  const within = (file: string) => file.startsWith(`${root}/`);
  const pathOf = (file: string) => file.slice(root.length + 1);
  const folderOf = (path: string) => path.split('/')[0]!;
  const rankOf = (path: string) => order.findIndex((names) => names.includes(folderOf(path)));
  const paths = sources.filter(within).map(pathOf);
  const imports = everyImport
    .filter(({ file, target }) => within(file) && within(target))
    .map(({ file, target }) => ({ file: pathOf(file), target: pathOf(target) }));
  const wrong = imports.filter(
    ({ file, target }) => folderOf(file) !== folderOf(target) && rankOf(target) >= rankOf(file),
  );
  return { unplaced: paths.filter((path) => rankOf(path) < 0), imports, wrong };
}

describe('the architecture of the console', () => {
  const { unplaced, imports, wrong } = compare('console', consoleOrder);

  it('assigns every file to a folder', () => {
    expect(unplaced).toEqual([]);
  });

  it('has dependencies in one direction, but for debts that only become fewer', () => {
    expect(imports.length).toBeGreaterThan(1_000);
    const found = [...new Set(wrong.map(({ file, target }) => `${file} → ${target}`))].sort();
    const listed = Object.entries(consoleDebts).flatMap(([file, targets]) =>
      targets.map((target) => `${file} → ${target}`),
    );
    expect({
      added: found.filter((debt) => !listed.includes(debt)),
      paid: listed.filter((debt) => !found.includes(debt)),
    }).toEqual({ added: [], paid: [] });
  });
});

describe('the architecture of the command line', () => {
  const { unplaced, imports, wrong } = compare('cli', commandLineOrder);

  it('assigns every file to a folder', () => {
    expect(unplaced).toEqual([]);
  });

  it('has dependencies in one direction', () => {
    expect(imports.length).toBeGreaterThan(50);
    expect(wrong).toEqual([]);
  });
});
