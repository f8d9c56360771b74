import type { Services } from '../../../context.ts';
import type { Database } from '../../../db/open.ts';
import type { RecordKey } from '../../../kernel/record-key.ts';
import { inBatches } from '../../upkeep/batch-operations.ts';
import type { UpkeepTask } from '../../upkeep/operations.ts';
import type { Seal } from '../seals/model.ts';
import { eventIdsUnder, nextOldSeal, recordedEnterprises } from '../seals/reads.ts';
import { deleteSealedEvents, markDeleted } from '../seals/rows.ts';

const dayMs = 86_400_000;
const deleteEveryMs = 600_000;

/** The most events that are deleted at once. Each is in eleven indexes, so that a few hundred take too long on SQLite. */
const mostEvents = 50;

/** Deletes events that are older than a number of days, from time to time. */
export const recordRetention = (
  { db, seal, log }: Pick<Services, 'db' | 'seal' | 'log'>,
  days: number,
): UpkeepTask => ({
  name: 'record retention',
  everyMs: deleteEveryMs,
  run: (signal, now) =>
    deleteRecord(
      { db, key: seal.recordKey, log },
      { before: new Date(now.getTime() - days * dayMs), now },
      signal,
    ),
});

interface Needed {
  db: Database;
  key: RecordKey;
  log: Pick<Services['log'], 'warn'>;
}

/** The events before a time are deleted. `now` is the time of the database. */
interface Times {
  before: Date;
  now: Date;
}

/**
 * Deletes the events before a time, by whole seals. The last seal of an enterprise keeps its events, and so does one with an
 * event in the future, which a gateway has written whose clock was wrong.
 */
export async function deleteRecord(
  services: Needed,
  times: Times,
  signal = new AbortController().signal,
): Promise<number> {
  const { db } = services;
  let count = 0;
  for (const { id } of await recordedEnterprises(db)) {
    const deletion = new Deletion(services, id, times);
    await inBatches({ db, most: mostEvents, signal }, (size) => deletion.next(size));
    count += deletion.count;
  }
  return count;
}

/**
 * The deletion of old events of an enterprise, in small steps. A seal is first marked as deleted, in a transaction of its
 * own, and its events are deleted after that. When a process ends in between, the next deletion continues.
 */
class Deletion {
  /** How many events were deleted. */
  count = 0;
  readonly #services: Needed;
  readonly #enterpriseId: string;
  readonly #times: Times;
  #number = 0;
  #seal: Seal | undefined;
  /** The events under the seal that are still there. */
  #ids: number[] = [];

  constructor(services: Needed, enterpriseId: string, times: Times) {
    this.#services = services;
    this.#enterpriseId = enterpriseId;
    this.#times = times;
  }

  /** Deletes up to so many events. Returns whether there is more. */
  async next(size: number): Promise<boolean> {
    const seal = this.#seal;
    if (!seal) return this.#begin();
    const { db } = this.#services;
    const ids = this.#ids.splice(0, size);
    const isLast = this.#ids.length === 0;
    this.count += await db.transaction((tx) =>
      deleteSealedEvents({ context: { db }, tx }, { seal, ids, isLast }),
    );
    if (isLast) this.#seal = undefined;
    return true;
  }

  /** Marks the next seal. Returns whether there is one. */
  async #begin(): Promise<boolean> {
    const { db, key, log } = this.#services;
    const { before, now } = this.#times;
    const found = await nextOldSeal(db, this.#enterpriseId, this.#number);
    if (!found) return false;
    const { seal, newest } = found;
    this.#number = seal.number;
    if (seal.deletedAt === null && newest > now) {
      const facts = { enterprise: this.#enterpriseId, seal: seal.number, newest };
      log.warn(facts, 'events are kept, because one of their seal lies in the future');
      return true;
    }
    if (seal.deletedAt === null && newest >= before) return false;
    if (seal.deletedAt === null) await db.transaction((tx) => markDeleted(tx, seal, key, now));
    this.#ids = await eventIdsUnder(db, seal);
    this.#seal = seal;
    return true;
  }
}
