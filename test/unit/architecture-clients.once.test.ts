import { describe, expect, it } from 'vitest';
import { compare, type Order } from '../support/imports.ts';

/** Each has what the console shows of one subject. They do not know each other: a page puts together what several have. */
const areas = [
  'application',
  'deploy-hooks',
  'previews',
  'exposure',
  'logs',
  'manifest',
  'map',
  'people',
  'record',
  'regions',
  'registries',
  'releases',
  'runs',
  'search',
  'shell',
  'snapshots',
  'store',
  'tree',
  'usage',
  'use',
  'webhooks',
];

const consoleOrder: Order = [
  ['strings', 'styles'],
  ['strings.ts'],
  ['ui'],
  ['form'],
  ['api'],
  ['documents'],
  ['act'],
  areas,
  ['pages'],
  ['routes.tsx'],
  ['app.tsx'],
  ['main.tsx'],
];

/** The areas that have rooms. */
const roomOrders: Readonly<Record<string, Order>> = {
  application: [
    ['strings.ts'],
    ['component', 'copy-application.tsx', 'edit-application.tsx', 'new-application.tsx'],
    ['new-application-action.tsx'],
  ],
  exposure: [
    ['databases.ts', 'strings.ts'],
    ['database-warning.tsx', 'nowhere.tsx'],
    ['certificates'],
    ['rules'],
    ['ports'],
    ['addresses'],
  ],
  people: [
    ['strings'],
    ['strings.ts'],
    ['access'],
    ['roles', 'sessions', 'tokens'],
    ['groups', 'trusts'],
    ['automation', 'members', 'users'],
  ],
};

const commandLineOrder: Order = [
  ['context.ts', 'failure.ts'],
  ['text.ts'],
  ['folder.ts', 'secrets.ts'],
  ['documents.ts', 'out.ts', 'show.ts'],
  ['connection.ts', 'plan.ts', 'sign-in.ts'],
  ['api.ts'],
  ['follow.ts', 'operations.ts', 'place.ts'],
  ['command-options.ts', 'named.ts', 'options.ts'],
  ['commands'],
  ['preview-program.ts'],
  ['program.ts'],
  ['main.ts'],
];

describe('the architecture of the console', () => {
  const { unplaced, imports, wrong } = compare('console', consoleOrder);

  it('assigns every file to a folder', () => {
    expect(unplaced).toEqual([]);
  });

  it('has dependencies in one direction, and areas that do not know each other', () => {
    expect(imports.length).toBeGreaterThan(1_000);
    expect(wrong).toEqual([]);
  });

  it.each(Object.entries(roomOrders))(
    'has dependencies in one direction between the rooms of %s',
    (area, order) => {
      const rooms = compare(`console/${area}`, order);
      expect(rooms.unplaced).toEqual([]);
      expect(rooms.imports.length).toBeGreaterThan(10);
      expect(rooms.wrong).toEqual([]);
    },
  );
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
