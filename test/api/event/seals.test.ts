import pg from 'pg';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Row, tables } from '../../../src/db/tables.ts';
import { canonicalEvent, eventsPerSeal, readAtOnce } from '../../../src/domain/event/seals/model.ts';
import {
  enterpriseOf,
  exportOf,
  linesIn,
  meddle,
  recordEvents,
  removeTriggers,
  sealerOf,
  verify,
  verifyExport,
} from '../../support/sealed-record.ts';
import { databaseKind, useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

const lastEvent = async () =>
  Number((await trellis.services.db.query('SELECT max(id) FROM event', []))[0]![0]);

describe('the seals of the record', () => {
  it('cover all columns of events', () => {
    const columns = Object.keys(tables.Event.columns).sort();
    const event: unknown = Object.fromEntries(columns.map((column) => [column, column]));
    expect(JSON.parse(canonicalEvent(event as Row<'Event'>)).sort()).toEqual(columns);
  });

  it('make one chain, whoever seals, at the same time too', async () => {
    const sealers = [1, 2, 3].map(() => sealerOf(trellis));
    let count = 0;
    for (let turn = 0; turn < 4; turn++) {
      const [, ...sealed] = await Promise.all([
        recordEvents(trellis, eventsPerSeal + 20),
        ...sealers.map((sealer) => sealer.seal()),
      ]);
      count += sealed.reduce((sum, each) => sum + each, 0);
    }
    // What was recorded meanwhile may be found settled only by the second look.
    for (let turn = 0; turn < 2; turn++) for (const sealer of sealers) count += await sealer.seal();
    const report = await verify(trellis);
    expect(report).toMatchObject({ events: count, unsealedEvents: 0, problem: undefined });
    expect(report.events).toBe(1 + 4 * (eventsPerSeal + 20));
    expect(report.seals).toBe(report.lastSeal!.number);
    expect(report.seals).toBeGreaterThanOrEqual(5);
    expect(report.lastSeal!.lastEventId).toBe(await lastEvent());
  });

  it('cover few events that are large', async () => {
    await sealerOf(trellis).seal();
    const before = await verify(trellis);
    await recordEvents(trellis, 3, 'x'.repeat(readAtOnce.bytes / 2));
    expect(await sealerOf(trellis).seal()).toBe(3);
    expect(await verify(trellis)).toMatchObject({ seals: before.seals + 3, problem: undefined });
  });

  it('leave out what is not sealed yet, and say so', async () => {
    await recordEvents(trellis, 3);
    expect(await verify(trellis)).toMatchObject({ unsealedEvents: 3, problem: undefined });
    expect(verifyExport(trellis, await exportOf(trellis))).toMatchObject({
      unsealedEvents: 3,
      problem: undefined,
    });
  });

  it.runIf(databaseKind === 'postgres')('wait for a transaction that has taken a lower id', async () => {
    const client = new pg.Client({ connectionString: trellis.databaseUrl });
    await client.connect();
    const sealer = sealerOf(trellis);
    await sealer.seal();
    await client.query('BEGIN');
    // As an event is written by the first statement of a transaction.
    const { rows } = await client.query(
      `INSERT INTO event (enterprise_id, at, request_id, action, subject_type, subject_id, changes)
       VALUES ($1, now(), 'held', 'demo.create', 'Enterprise', 'x', '{}') RETURNING id`,
      [await enterpriseOf(trellis)],
    );
    await recordEvents(trellis, 5);
    expect(await sealer.seal()).toBe(0);
    expect(await sealer.seal()).toBe(0);
    // A second transaction, which begins later, does not delay what is before it.
    await client.query('COMMIT');
    await client.end();
    expect(await sealer.seal()).toBe(6);
    const report = await verify(trellis);
    expect(report).toMatchObject({ unsealedEvents: 0, problem: undefined });
    expect(report.lastSeal!.lastEventId).toBe(rows[0].id + 5);
  });
});

describe('a record that was changed behind its back', () => {
  let ids: number[];
  let saved: string;
  beforeAll(() => removeTriggers(trellis));
  beforeEach(async () => {
    const before = await lastEvent();
    await recordEvents(trellis, 2);
    // Ids that are not used, such as those of a transaction that was rolled back.
    await meddle(
      trellis,
      databaseKind === 'postgres'
        ? `SELECT setval('event_id_seq', ${before + 10})`
        : `UPDATE sqlite_sequence SET seq = ${before + 10} WHERE name = 'event'`,
    ).catch(() => {});
    await recordEvents(trellis, 2);
    const sealer = sealerOf(trellis);
    await sealer.seal();
    await sealer.seal();
    ids = (await trellis.services.db.query(`SELECT id FROM event WHERE id > ${before} ORDER BY id`, [])).map(
      ([id]) => Number(id),
    );
    saved = await exportOf(trellis);
    expect((await verify(trellis)).problem).toBeUndefined();
    expect(verifyExport(trellis, saved).problem).toBeUndefined();
  });

  /** The problem, which the database and an export of it show alike. */
  const problems = async () => {
    const inDatabase = (await verify(trellis)).problem;
    const inExport = verifyExport(trellis, await exportOf(trellis)).problem;
    expect(inExport).toEqual(inDatabase);
    return inDatabase;
  };
  const set = (id: number, column: string, value: string) =>
    meddle(trellis, `UPDATE event SET ${column} = ${value} WHERE id = ${id}`);

  it('names the first event that was changed, in any column', async () => {
    const [row] = await trellis.services.db.query(`SELECT request_id FROM event WHERE id = ${ids[1]}`, []);
    for (const [column, value] of [
      ['request_id', "'other'"],
      ['changes', `'{"number":[null,7]}'`],
      ['user_id', '1'],
      ['manifest', "''"],
    ] as const) {
      const [before] = await trellis.services.db.query(
        `SELECT ${column} FROM event WHERE id = ${ids[1]}`,
        [],
      );
      await set(ids[1]!, column, value);
      await set(ids[2]!, 'action', "'team.delete'");
      expect(await problems()).toMatchObject({
        eventId: ids[1],
        message: expect.stringContaining('changed'),
      });
      const old = before![0] === null ? 'NULL' : `'${String(before![0])}'`;
      await set(ids[1]!, column, old);
      await set(ids[2]!, 'action', "'demo.create'");
    }
    expect(row).toBeDefined();
    expect(await problems()).toBeUndefined();
  });

  it('names the first event that was removed', async () => {
    const [, second, third] = ids;
    await meddle(trellis, `CREATE TABLE saved AS SELECT * FROM event WHERE id IN (${second}, ${third})`);
    await meddle(trellis, `DELETE FROM event WHERE id IN (${second}, ${third})`);
    expect(await problems()).toMatchObject({ eventId: second, message: expect.stringContaining('removed') });
    await meddle(trellis, 'INSERT INTO event SELECT * FROM saved');
    await meddle(trellis, 'DROP TABLE saved');
    expect(await problems()).toBeUndefined();
  });

  it('names the first event that was added', async () => {
    const free = ids[2]! - 1;
    const columns = Object.values(tables.Event.columns).map(({ column }) => column);
    const copied = columns.filter((column) => column !== 'id').join(', ');
    await meddle(
      trellis,
      `INSERT INTO event (id, ${copied}) SELECT ${free}, ${copied} FROM event WHERE id = ${ids[0]}`,
    );
    expect(await problems()).toMatchObject({ eventId: free, message: expect.stringContaining('added') });
    await meddle(trellis, `DELETE FROM event WHERE id = ${free}`);
    expect(await problems()).toBeUndefined();
  });

  it('names a seal that was changed or removed', async () => {
    const { number, hash } = (await verify(trellis)).lastSeal!;
    const setSeal = (column: string, value: string) =>
      meddle(trellis, `UPDATE record_seal SET ${column} = ${value} WHERE number = ${number}`);
    for (const column of ['hash', 'events_hash', 'signature', 'digests', 'key_id']) {
      const [row] = await trellis.services.db.query(
        `SELECT ${column} FROM record_seal WHERE number = ${number}`,
        [],
      );
      await setSeal(column, column === 'digests' ? "'[]'" : "'AAAA'");
      expect(await problems(), column).toMatchObject({ eventId: null, sealNumber: number });
      await setSeal(column, `'${String(row![0])}'`);
    }
    // Who claims that events were deleted after their time has no signature for it.
    await setSeal('deleted_at', databaseKind === 'postgres' ? 'now()' : "'2026-01-01T00:00:00.000+00:00'");
    expect((await verify(trellis)).problem).toMatchObject({ sealNumber: number });
    await setSeal('deleted_at', 'NULL');
    await meddle(trellis, `UPDATE record_seal SET number = 100000 WHERE number = ${number - 1}`);
    expect((await verify(trellis)).problem).toMatchObject({
      message: expect.stringContaining(`Seal ${number - 1} was removed`),
    });
    await meddle(trellis, `UPDATE record_seal SET number = ${number - 1} WHERE number = 100000`);
    expect((await verify(trellis)).lastSeal).toMatchObject({ number, hash });
  });

  it('is found in a file that was changed', () => {
    const lines = saved.trimEnd().split('\n');
    const at = lines.findIndex((line) => line.includes(`"type":"event","id":${ids[1]},`));
    const without = lines.filter((_, index) => index !== at).join('\n');
    expect(verifyExport(trellis, without).problem).toMatchObject({ eventId: ids[1] });
    const other = lines.map((line, index) => (index === at ? line.replace('demo.create', 'seed') : line));
    expect(verifyExport(trellis, other.join('\n')).problem).toMatchObject({ eventId: ids[1] });
    const moved = lines.map((line, index) => (index === at ? lines[at - 1]! : line)).join('\n');
    expect(verifyExport(trellis, moved).problem).toMatchObject({ message: expect.stringContaining('added') });
    expect(() => verifyExport(trellis, lines.slice(0, -1).join('\n'))).toThrow('does not have the end');
    expect(() => verifyExport(trellis, '{}')).toThrow('Line 1');
    expect(() => verifyExport(trellis, '[')).toThrow('Line 1');
    const seals = linesIn(saved).filter(({ type }) => type === 'seal');
    const middle = lines.filter((line) => !line.includes(`"number":${seals.length - 1},`));
    expect(verifyExport(trellis, middle.join('\n')).problem).toBeDefined();
  });
});
