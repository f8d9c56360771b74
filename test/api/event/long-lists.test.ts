import { beforeAll, describe, expect, it } from 'vitest';
import type { ListSpec } from '../../../src/db/query/statement.ts';
import type { Row } from '../../../src/db/tables.ts';
import { insertMany } from '../../../src/db/write/bulk.ts';
import type { Place } from '../../support/fixtures.ts';
import { databaseKind, useTrellis } from '../../support/trellis.ts';

/** More than two statements look at, of which few are of the last type. */
const length = 7_000;
const rare = 'Volume';

const trellis = useTrellis();
let place: Place;
let short: string;
beforeAll(async () => {
  place = await trellis.createPlace();
  short = (await trellis.createTeam()).teamId;
  const { db } = trellis.services;
  const [like] = await db.event.findManyByKeys({ by: 'action', keys: ['team.create'] });
  const { id: _, ...template } = like!;
  const event = (teamId: string, index: number): Omit<Row<'Event'>, 'id'> => ({
    ...template,
    teamId,
    action: index % 3 === 0 ? 'port.add' : 'port.delete',
    subjectType: index % 1_999 === 0 ? rare : 'Port',
    subjectId: String(index),
    at: new Date(Date.UTC(2020, 0, 1) + index * 1_000),
  });
  await db.transaction(async (tx) => {
    const events = [
      ...Array.from({ length }, (_, index) => event(place.team.teamId, index)),
      ...Array.from({ length: 30 }, (_, index) => event(short, index)),
    ];
    await insertMany({ context: { db }, tx }, 'Event', events);
  });
});

const query = `query ($by: TeamRef!, $type: String, $action: String, $since: DateTime, $until: DateTime, $first: Int, $last: Int, $after: String, $before: String) {
  team(by: $by) {
    events(objectType: $type, action: $action, since: $since, until: $until, first: $first, last: $last, after: $after, before: $before) {
      totalCount pageInfo { hasNextPage hasPreviousPage } edges { cursor node { objectUid } }
    }
  }
}`;
interface Found {
  totalCount: number;
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean };
  edges: { cursor: string; node: { objectUid: string } }[];
}
const found = async (variables: object): Promise<Found> =>
  (await trellis.data(query, { by: { teamId: place.team.teamId }, ...variables })).team.events;
const uids = ({ edges }: Found) => edges.map(({ node }) => Number(node.objectUid));

describe('a filter that few of many events fit', () => {
  const both = { type: rare, action: 'port.add' };
  const fitting = Array.from({ length: Math.ceil(length / 1_999) }, (_, index) => index * 1_999)
    .filter((index) => index % 3 === 0)
    .reverse();

  it('finds them all, in pages from both ends', async () => {
    expect(fitting.length).toBeGreaterThan(1);
    const all = await found({ ...both, first: 10 });
    expect(uids(all)).toEqual(fitting);
    expect(all).toMatchObject({ totalCount: fitting.length, pageInfo: { hasNextPage: false } });
    const newest = await found({ ...both, first: 1 });
    expect([uids(newest), newest.pageInfo.hasNextPage]).toEqual([fitting.slice(0, 1), true]);
    const oldest = await found({ ...both, last: 1 });
    expect([uids(oldest), oldest.pageInfo.hasPreviousPage]).toEqual([fitting.slice(-1), true]);
    const after = await found({ ...both, first: 10, after: newest.edges[0]!.cursor });
    expect(uids(after)).toEqual(fitting.slice(1));
    const before = await found({ ...both, last: 10, before: oldest.edges[0]!.cursor });
    expect(uids(before)).toEqual(fitting.slice(0, -1));
    expect(await found({ ...both, first: 10, until: new Date(0).toISOString() })).toMatchObject({
      totalCount: 0,
      edges: [],
    });
  });

  it.runIf(databaseKind === 'sqlite')(
    'leaves the thread to others between statements that look at a part of them',
    async () => {
      const turns: number[] = [];
      let turn = 0;
      let isDone = false;
      const next = () => {
        turn++;
        if (!isDone) setImmediate(next);
      };
      setImmediate(next);
      const { statements } = trellis;
      const push = statements.push.bind(statements);
      statements.push = (text) => {
        if (/subject_type" = \?.*LIMIT/.test(text)) turns.push(turn);
        return push(text);
      };
      await found({ ...both, first: 10, since: new Date(0).toISOString() }).finally(() => {
        isDone = true;
        statements.push = push;
      });
      // As many as slices, no two in one turn.
      expect(turns.length).toBeGreaterThanOrEqual(3);
      expect(new Set(turns).size).toBe(turns.length);
    },
  );

  it('takes as many statements for many short lists as for one', async () => {
    const { db } = trellis.services;
    const spec: ListSpec<'Event'> = {
      model: 'Event',
      parent: { field: 'teamId' },
      order: ['id'],
      descending: true,
      where: [{ field: 'subjectType', is: rare }],
      growing: { indexed: [], time: 'at' },
    };
    const { growing: _, ...plain } = spec;
    const countOf = async (keys: string[]) => {
      trellis.statements.length = 0;
      await db.event.findPagesByKeys({ keys, spec, window: { limit: 5, fromEnd: false } });
      return trellis.statements.length;
    };
    const none = ['nobody', 'nothing'];
    expect(await countOf([short, ...none])).toBe(await countOf([short]));
    for (const limit of [0, 1, 2, 4, 5, 100]) {
      for (const fromEnd of [false, true]) {
        const keys = [short, place.team.teamId, ...none];
        const pages = (of: ListSpec<'Event'>) =>
          db.event.findPagesByKeys({ keys, spec: of, window: { limit, fromEnd } });
        expect(await pages(spec)).toEqual(await pages(plain));
      }
    }
    expect(await db.event.countByKeys({ keys: [short, place.team.teamId], ...spec })).toEqual(
      await db.event.countByKeys({ keys: [short, place.team.teamId], ...plain }),
    );
    const counts = await db.event.countGrowing({ keys: [short, place.team.teamId], spec });
    expect(new Map([...counts].map(([key, { count }]) => [key, count]))).toEqual(
      await db.event.countByKeys({ keys: [short, place.team.teamId], ...plain }),
    );
    expect([...counts.values()].map(({ isExact }) => isExact)).toEqual([true, true]);
  });
});
