import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Services } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change } from '../../db/write/change.ts';
import type { ProvidedIdentity, Refreshed } from '../../drivers/identity/driver.ts';
import { UnavailableError } from '../../kernel/errors.ts';
import { Limiter } from '../../kernel/limiter.ts';
import { getOrCompute } from '../../kernel/memo.ts';
import { asTrellis } from '../access-token/bootstrap-operations.ts';
import { enterpriseOfSignIns, followGroups } from './identity-operations.ts';
import type { SessionSettings } from './model.ts';
import { leaseRecheck, removeSession, setRefreshToken, settleRecheck } from './rows.ts';

const times = {
  /** How long one gateway may ask. Longer than all timeouts of the provider together. */
  leaseMs: 30_000,
  /** How long requests wait for another gateway that asks, and how often they look. */
  maxWaitMs: 15_000,
  lookEveryMs: 100,
  /** When a provider that has not answered is asked again. */
  againMs: 60_000,
  /** How long a session goes on while the provider does not answer. */
  graceMs: 3_600_000,
  /** How often the log says that the provider does not answer. */
  warnEveryMs: 60_000,
};

/** The most sessions that a process asks about at the same time, in total and of one user, and how long others wait. */
const [mostAtOnce, mostOfUser, maxQueueMs] = [8, 4, 5_000];

type Session = Row<'Session'>;

/**
 * Asks the identity provider whether a session may go on, and follows its groups. One gateway does so at a time, by the clock of the
 * database; requests of the session that arrive meanwhile, at any gateway, wait for it. A refusal ends the session. Without an answer,
 * it goes on for an hour.
 */
export class SessionRechecks {
  readonly #services: Pick<Services, 'db' | 'drivers' | 'seal' | 'log'>;
  readonly #settings: SessionSettings;
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #limiter = new Limiter({
    most: mostAtOnce,
    mostOfGroup: mostOfUser,
    inTurns: true,
    maxWaitMs: maxQueueMs,
    refused: () => new UnavailableError('The server is checking too many sessions. Try again.'),
  });
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor(services: Pick<Services, 'db' | 'drivers' | 'seal' | 'log'>, settings: SessionSettings) {
    this.#services = services;
    this.#settings = settings;
  }

  /** Resolves when the provider has been asked, by this gateway or another one. Throws UNAVAILABLE if that takes too long. */
  run(id: string): Promise<void> {
    return getOrCompute(this.#underWay, id, () => this.#run(id).finally(() => this.#underWay.delete(id)));
  }

  async #run(id: string): Promise<void> {
    const { db } = this.#services;
    const startedAt = performance.now();
    for (;;) {
      const now = await this.#now();
      const [session] = await db.session.findManyByKeys({ by: 'id', keys: [id] });
      if (!session?.recheckAt || session.recheckAt > now) return;
      if (!isLeased(session, now)) {
        const until = new Date(now.getTime() + times.leaseMs);
        if (await db.transaction((tx) => leaseRecheck(tx, session, until))) return this.#ask(session, until);
      }
      if (performance.now() - startedAt > times.maxWaitMs) {
        throw new UnavailableError('Your session is being checked. Try again.', { retryAfterSeconds: 5 });
      }
      await sleep(times.lookEveryMs);
    }
  }

  async #now(): Promise<Date> {
    const { db } = this.#services;
    const [row] = await db.query(`SELECT ${db.dialect.nowMs}`, []);
    return new Date(Number(row![0]));
  }

  async #ask(session: Session, leaseUntil: Date): Promise<void> {
    const { db, seal } = this.#services;
    const [link] = await db.identity.findManyByKeys({ by: 'userId', keys: [session.userId] });
    if (!link || session.sealedRefreshToken === null) return this.#end(session, 'it has no account');
    const answer = await this.#refresh(session.sealedRefreshToken, link);
    if (answer.outcome === 'refused') return this.#end(session, answer.reason);
    const { refreshToken } = answer;
    if (refreshToken !== undefined) {
      await db.transaction((tx) => setRefreshToken(tx, session.id, seal.close(refreshToken)));
    }
    if (answer.outcome === 'unknown') return this.#postpone(session, leaseUntil, answer.reason);
    await this.#confirm(session, leaseUntil, answer.identity).catch((error) => {
      this.#services.log.warn({ error }, 'groups of a session were not stored');
      return this.#postpone(session, leaseUntil, 'groups were not stored');
    });
  }

  async #confirm(session: Session, leaseUntil: Date, identity: ProvidedIdentity): Promise<void> {
    const recheckAt = new Date((await this.#now()).getTime() + this.#settings.recheckMs);
    await change(await this.#context(), 'user.update', async (write) => {
      // Some providers leave the claim out of some answers.
      if (identity.groups) {
        const { userId } = session;
        const include = { user: true };
        const { user, ...link } = await write.tx.identity.findUniqueOrThrow({ where: { userId }, include });
        await followGroups(write, { user, link }, identity);
      }
      await settleRecheck(write.tx, { id: session.id, leaseUntil }, { recheckAt, unconfirmedSince: null });
    });
  }

  async #refresh(sealedRefreshToken: string, link: Row<'Identity'>): Promise<Refreshed> {
    const { drivers, seal } = this.#services;
    try {
      const refreshToken = seal.open(sealedRefreshToken);
      return await this.#limiter.run(String(link.userId), () =>
        drivers.identity!.refresh(refreshToken, link),
      );
    } catch (error) {
      return { outcome: 'unknown', reason: (error as Error).message };
    }
  }

  /** Without an answer for an hour, the session ends. */
  async #postpone(session: Session, leaseUntil: Date, reason: string): Promise<void> {
    const now = await this.#now();
    const since = session.unconfirmedSince ?? now;
    this.#warn(reason);
    if (now.getTime() - since.getTime() >= times.graceMs) {
      return this.#end(session, 'the identity provider has not confirmed it for an hour');
    }
    const recheckAt = new Date(now.getTime() + times.againMs);
    await this.#services.db.transaction((tx) =>
      settleRecheck(tx, { id: session.id, leaseUntil }, { recheckAt, unconfirmedSince: since }),
    );
  }

  #warn(reason: string): void {
    const now = performance.now();
    if (now - this.#warnedAt < times.warnEveryMs) return;
    this.#warnedAt = now;
    this.#services.log.warn({ reason }, 'sessions cannot be checked with the identity provider');
  }

  async #end(session: Session, reason: string): Promise<void> {
    await change(await this.#context(), 'session.end', (write) => removeSession(write, session, reason));
  }

  async #context() {
    const { db } = this.#services;
    return asTrellis(db, await enterpriseOfSignIns({ db }), randomUUID());
  }
}

/** A lease that ends later than any can was written before the clock was set back. */
const isLeased = ({ recheckLeaseUntil: until }: Session, now: Date): boolean =>
  until !== null && until > now && until.getTime() <= now.getTime() + 2 * times.leaseMs;
