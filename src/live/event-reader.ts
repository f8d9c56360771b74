import { setTimeout as sleep } from 'node:timers/promises';
import { type Committed, CommittedReader, type Position } from '../db/query/committed.ts';
import type { Reader } from '../db/query/reader.ts';
import { SettledIds } from '../db/query/settled-ids.ts';
import type { Row } from '../db/tables.ts';
import type { SharedReads } from './shared-reads.ts';

/** An event, and the position behind it. */
export interface EventItem {
  row: Row<'Event'>;
  position: Position;
  reads: SharedReads;
}

/** The events that a subscriber reads at once from the past. They are not shared, because the subscriber can be slow. */
const batchSize = 100;

/** How often the floor is looked for at the first subscription. */
const positionAttempts = 20;

/** How many events are read before the floor is looked for again: searches are that much longer. */
const floorEvery = 500;

/** The same while the floor depends on transactions that are open. Where there are always some, not for each event. */
const floorEveryWhileOpen = 10;

/** Events that were read, and the floor of positions behind them. */
interface Found extends Committed<'Event'> {
  floor: number;
}

/** Reads the events of teams in the order in which they were committed, from one position to the next. */
export class EventReader {
  readonly #reader: CommittedReader<'Event'>;
  readonly #batchReader: CommittedReader<'Event'>;
  readonly #settled: SettledIds;
  #floor = 0;
  /** The events that were read since the floor was looked for. */
  #count = 0;

  constructor(db: Reader) {
    this.#settled = new SettledIds(db, 'Event');
    this.#reader = new CommittedReader(db, 'Event', 'teamId', 'changes');
    this.#batchReader = new CommittedReader(db, 'Event', 'teamId', 'changes', batchSize);
  }

  /** The events of teams ahead of their positions, up to a limit. */
  async read(from: readonly { key: string; position: Position }[]): Promise<Found> {
    if (this.#floor === 0 || this.#count >= floorEvery) {
      this.#count = 0;
      this.#floor = await this.#settled.read();
      if (this.#settled.isWaiting) this.#count = floorEvery - floorEveryWhileOpen;
    }
    // Events up to a floor that is found later can be missing in the snapshot of this read.
    const floor = this.#floor;
    const found = await this.#reader.read(from);
    this.#count += found.rows.length;
    return { ...found, floor };
  }

  /** The items of one team after a read, and the position behind them. */
  step(from: Position, rows: readonly Row<'Event'>[], found: Found, reads: SharedReads) {
    const { during = found.now } = from;
    const next: Position = found.isCut
      ? { ...from, during, id: found.lastId! }
      : { floor: during === found.now ? Math.max(from.floor, found.floor) : from.floor, before: during };
    const items = rows.map((row, index): EventItem => {
      const isLast = index === rows.length - 1;
      return { row, position: isLast ? next : { ...from, during, id: row.id }, reads };
    });
    return { items, next };
  }

  /** Reads the events between a position and a snapshot, in batches, for a caller. */
  async *missed(
    { teamId, from, until, caller }: { teamId: string; from: Position; until: string; caller: string },
    share: () => SharedReads,
  ): AsyncGenerator<EventItem[], void> {
    let position: Position = from;
    for (;;) {
      // First what was visible when the position was made, then the rest.
      position = position.during === undefined ? { ...position, during: until, id: 0 } : position;
      const isRest = position.during === until;
      const read = await this.#batchReader.read([{ key: teamId, position }], caller);
      const found = { ...read, floor: from.floor };
      const { items, next } = this.step(position, found.rows, found, share());
      if (items.length > 0) yield items;
      if (isRest && next.during === undefined) return;
      position = next;
    }
  }

  /** The position behind all events that are committed now. */
  async positionNow(): Promise<Position> {
    // Any number of events can have been recorded since the floor was looked for, and none of them read.
    this.#count = floorEvery;
    for (let attempt = 0; ; attempt++) {
      const { floor, now } = await this.read([]);
      if (floor > 0 || attempt === positionAttempts) return { floor, before: now };
      // It is known when the transactions that were open at the first read are over.
      if (attempt > 1) await sleep(5);
    }
  }
}
