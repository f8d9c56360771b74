import type { Services } from '../../../context.ts';
import type { Database } from '../../../db/open.ts';
import { SettledIds } from '../../../db/query/settled-ids.ts';
import type { Seal } from '../../../kernel/seal.ts';
import type { UpkeepTask } from '../../upkeep/operations.ts';
import { readAtOnce, sealOf } from './model.ts';
import { enterprisesBetween, lastSeal, recordedEnterprises, someEventsBetween } from './reads.ts';
import { insertSeal } from './rows.ts';

const sealEveryMs = 5_000;

/** Seals the record of a database every few seconds. */
export function sealing({ db, seal }: Pick<Services, 'db' | 'seal'>): UpkeepTask {
  const sealer = new RecordSealer({ db, seal });
  return { name: 'seal', everyMs: sealEveryMs, run: (signal) => sealer.seal(signal) };
}

/**
 * Seals the events of all enterprises, up to those that no event can precede any more. Several processes may do so: a seal
 * has the number after the last one, which only one of them can add.
 */
export class RecordSealer {
  readonly #db: Database;
  readonly #seal: Pick<Seal, 'recordKeyAfter'>;
  readonly #settled: SettledIds;
  /** The events up to this id are sealed. */
  #done = 0;

  constructor({ db, seal }: { db: Database; seal: Pick<Seal, 'recordKeyAfter'> }) {
    this.#db = db;
    this.#seal = seal;
    this.#settled = new SettledIds(db, 'Event');
  }

  /** Seals what can be sealed now. Returns the number of events. */
  async seal(signal?: AbortSignal): Promise<number> {
    const upTo = await this.#settled.read();
    if (upTo <= this.#done) return 0;
    // A new process does not know what is sealed.
    const enterpriseIds =
      this.#done === 0
        ? (await recordedEnterprises(this.#db)).map(({ id }) => id)
        : await enterprisesBetween(this.#db, this.#done, upTo);
    let count = 0;
    for (const enterpriseId of enterpriseIds) count += await this.#sealOf(enterpriseId, upTo, signal);
    if (!signal?.aborted) this.#done = upTo;
    return count;
  }

  async #sealOf(enterpriseId: string, upTo: number, signal: AbortSignal | undefined): Promise<number> {
    let count = 0;
    let previous = await lastSeal(this.#db, enterpriseId);
    while (!signal?.aborted) {
      const range = [previous?.lastEventId ?? 0, upTo] as const;
      const events = await someEventsBetween(this.#db, enterpriseId, range, readAtOnce);
      if (events.length === 0) break;
      if (await insertSeal(this.#db, sealOf(events, previous, this.#seal.recordKeyAfter(previous?.keyId))))
        count += events.length;
      previous = await lastSeal(this.#db, enterpriseId);
    }
    return count;
  }
}
