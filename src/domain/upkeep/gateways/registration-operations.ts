import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Services } from '../../../context.ts';
import { gatewayTimes } from '../../../db/gateways.ts';
import { createNewerMigrations } from '../../../db/migrate/newer.ts';
import { WorkLoop } from '../../../db/work/loop.ts';
import { NotReadyError } from '../../../kernel/not-ready.ts';
import { followRotation } from '../keys/reads.ts';
import { installedVersion } from './reads.ts';
import { noteAlive, removeGateway } from './rows.ts';

/** By how much the clock of a gateway may differ from that of the database. */
const mostSkewMs = 5_000;

function skewText(aheadMs: number): string | undefined {
  if (Math.abs(aheadMs) <= mostSkewMs) return undefined;
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  return `The clock of this gateway is ${seconds} seconds ${aheadMs > 0 ? 'ahead of' : 'behind'} that of the database.`;
}

/**
 * The entry of this process among the running gateways. It is renewed every few seconds, so that that of a process that was
 * killed lapses.
 */
export class GatewayRegistration {
  readonly #services: Pick<Services, 'db' | 'seal' | 'log'>;
  readonly #newerMigration: () => Promise<string | undefined>;
  readonly #entry = { id: randomUUID(), name: `${hostname()}/${process.pid}`, version: installedVersion() };
  readonly #loop: WorkLoop;
  #startedAt: Date | undefined;
  /** Why the keys of this gateway are not enough. */
  #lackingKey: string | undefined;
  #laterMigration: string | undefined;
  #skewMs = 0;

  constructor(
    services: Pick<Services, 'db' | 'seal' | 'log'>,
    { aliveEveryMs, firstAfterMs }: { aliveEveryMs: number; firstAfterMs: number } = {
      aliveEveryMs: gatewayTimes.aliveEveryMs,
      // The first transaction of a process loads Prisma's query compiler, which the first requests would wait for.
      firstAfterMs: 1_000,
    },
  ) {
    this.#services = services;
    this.#newerMigration = createNewerMigrations(services.db);
    this.#loop = new WorkLoop({
      look: async () => {
        await this.#giveSign();
        return aliveEveryMs;
      },
      pollMs: aliveEveryMs,
      firstAfterMs,
      retryMs: aliveEveryMs / 4,
      onError: (error) => services.log.warn({ error }, 'the sign of life of this gateway is delayed'),
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Throws a NotReadyError if this gateway must not serve requests. Returns what else there is to say about it. */
  async check(): Promise<string | undefined> {
    if (this.#lackingKey !== undefined) throw new NotReadyError(`${this.#lackingKey}.`);
    if (this.#laterMigration !== undefined) {
      throw new NotReadyError(
        `A later version of Trellis has migrated the database: ${this.#laterMigration}.`,
      );
    }
    return skewText(this.#skewMs);
  }

  /** Removes the entry. */
  async stop(timeoutMs: number): Promise<void> {
    await this.#loop.stop(timeoutMs);
    if (!this.#startedAt) return;
    const { db, log } = this.#services;
    await db
      .transaction((tx) => removeGateway(tx, this.#entry.id))
      .catch((error) => log.warn({ error }, 'this gateway counts as running for some seconds'));
  }

  /** Compares the clocks. The database has answered some time between the question and now. */
  #compareClocks(databaseMs: number, askedAtMs: number, answeredAtMs: number): void {
    const before = skewText(this.#skewMs);
    this.#skewMs = Math.max(askedAtMs - databaseMs, Math.min(answeredAtMs - databaseMs, 0));
    const now = skewText(this.#skewMs);
    if (now !== undefined && before === undefined) {
      const { log } = this.#services;
      log.warn(
        { aheadMs: Math.round(this.#skewMs) },
        'the clock of this gateway differs from that of the database',
      );
    }
  }

  async #giveSign(): Promise<void> {
    const { db, seal, log } = this.#services;
    const askedAtMs = Date.now();
    const [[nowMs]] = (await db.query(`SELECT ${db.dialect.nowMs}`, [])) as [[number]];
    this.#compareClocks(nowMs, askedAtMs, Date.now());
    const seenAt = new Date(nowMs);
    this.#laterMigration = await this.#newerMigration();
    const lackingKey = await followRotation(db, seal);
    if (lackingKey !== undefined && lackingKey !== this.#lackingKey) log.error(`${lackingKey}.`);
    this.#lackingKey = lackingKey;
    this.#startedAt ??= seenAt;
    const row = { ...this.#entry, keyIds: JSON.stringify(seal.keyIds), startedAt: this.#startedAt, seenAt };
    await db.transaction((tx) => noteAlive(tx, row, new Date(nowMs - gatewayTimes.lapseMs)));
  }
}
