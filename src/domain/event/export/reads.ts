import { setTimeout as sleep } from 'node:timers/promises';
import type { Reader } from '../../../db/query/reader.ts';
import { SettledIds } from '../../../db/query/settled-ids.ts';
import { ForbiddenError } from '../../../kernel/errors.ts';
import type { Seal as SecretSeal } from '../../../kernel/seal.ts';
import { eventsPerSeal, readAtOnce, type Seal } from '../seals/model.ts';
import {
  eventsBetween,
  recordedEnterprises,
  retiredKeys,
  sealNumberUpTo,
  sealsAfter,
  someEventsBetween,
} from '../seals/reads.ts';
import { keysDocument, lineOfEvent, lineOfSeal } from './line-model.ts';

/** Longer than a transaction lasts between the time of an event and its id, and than clocks of gateways differ. */
const unorderedMs = 120_000;

/** The id after which all events at or after a time are. The ids of events that are recorded at once are in no order. */
export async function startOf(db: Reader, enterpriseId: string, since: Date): Promise<number> {
  const [enterprise, from, to] = [1, 2, 3].map((number) => db.dialect.placeholder(number));
  const first = `SELECT at FROM event WHERE enterprise_id = ${enterprise} AND at >= ${from} ORDER BY at, id LIMIT 1`;
  const [row] = await db.query(first, [enterpriseId, db.dialect.encode(since)]);
  if (!row) return (await lastId(db, enterpriseId)) ?? 0;
  const at = db.dialect.decode(row[0], 'DateTime') as Date;
  const lowest = `SELECT min(id) FROM event WHERE enterprise_id = ${enterprise} AND at >= ${from} AND at < ${to}`;
  const range = [at, new Date(at.getTime() + unorderedMs)].map((time) => db.dialect.encode(time));
  const [found] = await db.query(lowest, [enterpriseId, ...range]);
  return Number(found![0]) - 1;
}

async function lastId(db: Reader, enterpriseId: string): Promise<number | undefined> {
  const text = `SELECT id FROM event WHERE enterprise_id = ${db.dialect.placeholder(1)} ORDER BY id DESC LIMIT 1`;
  const [row] = await db.query(text, [enterpriseId]);
  return row && Number(row[0]);
}

/** How long an export waits for open transactions, whose events have lower ids than the last ones. */
const settleMs = 2_000;

/** The id up to which the record is complete, or that of the last seal while a transaction stays open. */
async function settledId(db: Reader): Promise<number> {
  const settled = new SettledIds(db, 'Event');
  for (let waited = 0; ; waited += 50) {
    const id = await settled.read();
    if (id > 0 || !settled.isWaiting || waited >= settleMs) return id;
    await sleep(50);
  }
}

const sealsAtOnce = 10;
const checkEveryMs = 5_000;

interface ExportOptions {
  db: Reader;
  seal: SecretSeal;
  enterpriseId: string;
  /** Events up to this id are not part of it. */
  after: number;
  /** Whether the caller may still read the record, which a long export outlives. */
  isStillAllowed(): Promise<boolean>;
}

const linesOf = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

/** A seal and the events under it after an id. None if they are being deleted, which may have begun since the seal was read. */
async function sealedEvents(db: Reader, seal: Seal, after: number) {
  if (seal.deletedAt !== null) return { seal, events: [] };
  const { enterpriseId, lastEventId, eventCount, number } = seal;
  const events = await eventsBetween(db, enterpriseId, [after, lastEventId], eventsPerSeal * 2);
  if (events.length === eventCount) return { seal, events };
  const [now = seal] = await sealsAfter(db, enterpriseId, number - 1, 1);
  return now.deletedAt === null ? { seal, events } : { seal: now, events: [] };
}

/** The lines of an export: seals, each with its events, and the events that are not sealed. A page is in memory at a time. */
export async function* linesOfExport(options: ExportOptions): AsyncGenerator<string, void> {
  const { db, seal, enterpriseId, after } = options;
  const name = (await recordedEnterprises(db)).find(({ id }) => id === enterpriseId)?.name ?? '';
  const keys = keysDocument(seal.recordKey, await retiredKeys(db));
  yield linesOf([{ type: 'export', enterprise: { id: enterpriseId, name }, after, at: new Date(), ...keys }]);
  const count = { events: 0, seals: 0 };
  let [position, lastSealedEventId, checkedAt] = [after, after, performance.now()];
  let number = await sealNumberUpTo(db, enterpriseId, after);
  const settled = await settledId(db);
  const requireAllowed = async () => {
    if (performance.now() - checkedAt < checkEveryMs) return;
    checkedAt = performance.now();
    if (!(await options.isStillAllowed()))
      throw new ForbiddenError('You no longer have the right to read the record.');
  };
  for (;;) {
    const seals: Seal[] = await sealsAfter(db, enterpriseId, number, sealsAtOnce);
    for (const each of seals) {
      await requireAllowed();
      const sealed = await sealedEvents(db, each, position);
      const { events } = sealed;
      yield linesOf([lineOfSeal(sealed.seal), ...events.map(lineOfEvent)]);
      count.seals++;
      count.events += events.length;
      number = each.number;
      position = Math.max(position, each.lastEventId);
      lastSealedEventId = position;
    }
    if (seals.length < sealsAtOnce) break;
  }
  for (;;) {
    await requireAllowed();
    const range = [position, Math.max(settled, position)] as const;
    const events = await someEventsBetween(db, enterpriseId, range, readAtOnce);
    if (events.length === 0) break;
    // Meanwhile, what follows may have been sealed. That is for the next export.
    yield linesOf(events.map(lineOfEvent));
    count.events += events.length;
    position = events.at(-1)!.id;
  }
  yield linesOf([{ type: 'end', lastEventId: position, lastSealedEventId, ...count }]);
}
