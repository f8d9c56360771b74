import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OwnPostgres, startOwnPostgres } from './own-postgres.ts';
import { endProcesses, startProcess, type TrellisProcess } from './process.ts';
import { send } from './send.ts';
import { type Subscription, subscribe } from './subscribe.ts';

const timeout = 120_000;
const adminToken = 'a-token-of-at-least-32-characters';
const team = '{ name: "team" }';
const events = `subscription { events(team: ${team}) { id } }`;

/** A client that subscribes again with the last id whenever its subscription ends. */
class Follower {
  readonly ids: number[] = [];
  /** The codes with which subscriptions ended or were refused, or `closed` without one. */
  readonly ends: string[] = [];
  #current: Subscription | undefined;
  #isClosed = false;
  #heartbeats = 0;
  #lastId: string | undefined;

  constructor(server: { url: string; adminToken: string }) {
    void this.#follow(server);
  }

  get lastId(): string | undefined {
    return this.#current?.lastId() ?? this.#lastId;
  }

  heartbeats(): number {
    return this.#heartbeats + (this.#current?.comments() ?? 0);
  }

  async #follow(server: { url: string; adminToken: string }): Promise<void> {
    while (!this.#isClosed) {
      this.#current = await subscribe(server, events, { lastEventId: this.lastId });
      let code = this.#current.status === 503 ? 'UNAVAILABLE' : 'closed';
      for (;;) {
        const item = await this.#current.next();
        if (!item) break;
        if (item.data?.errors) code = item.data.errors[0].extensions.code;
        else if (item.data) this.ids.push(Number(atob(item.data.data.events.id).split(':')[1]));
      }
      this.#lastId = this.lastId;
      this.#heartbeats += this.#current.comments();
      this.#current = undefined;
      if (!this.#isClosed) this.ends.push(code);
      // Waits on time: a client that was refused does not come back at once.
      await sleep(50);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#current?.close();
  }
}

type Outage = 'freezes' | 'stops' | 'restarts';

/** Follows the events of a team while Postgres is away in these ways, one after the other. */
export function testSubscriptionOutages(outages: readonly Outage[]): void {
  let postgres: OwnPostgres;
  let trellis: TrellisProcess;
  let server: { url: string; adminToken: string };
  const followers: Follower[] = [];
  let thaw = () => {};
  beforeAll(async () => {
    postgres = await startOwnPostgres();
    trellis = startProcess({
      DATABASE_URL: postgres.url,
      SECRET_KEY: 'ab'.repeat(32),
      BOOTSTRAP_TOKEN: adminToken,
      RATE_LIMIT_PER_SECOND: '0',
      HEARTBEAT_MS: '100',
    });
    server = { url: await trellis.listening, adminToken };
  }, timeout);
  afterAll(async () => {
    const { exitCode } = trellis.child;
    for (const follower of followers) follower.close();
    thaw();
    await endProcesses();
    await postgres.remove();
    // A gateway that ended by itself is shown with the reason that it gave.
    expect(exitCode, trellis.output().stderr).toBeNull();
  });

  const ask = async (query: string) => (await send(server, { body: JSON.stringify({ query }) })).body;
  const expectReady = (status: number) =>
    expect
      .poll(async () => (await send(server, { path: '/readyz', token: null })).status, { timeout: 90_000 })
      .toBe(status);

  /** Works on a connection of its own. */
  async function asAdmin<T>(work: (admin: pg.Client) => Promise<T>): Promise<T> {
    const admin = new pg.Client({ connectionString: postgres.url });
    await admin.connect();
    return work(admin).finally(() => admin.end());
  }

  const listeners = () =>
    asAdmin(async (admin) => {
      const text = "SELECT pid FROM pg_stat_activity WHERE application_name = 'trellis-listen'";
      return (await admin.query(text)).rows.map(({ pid }) => pid as number);
    });

  /** What another gateway would do: an event, and the news of it. Resolves with its id. */
  const recordElsewhere = () =>
    asAdmin(async (admin) => {
      const { rows } = await admin.query(
        `INSERT INTO event (enterprise_id, team_id, at, request_id, action, subject_type, subject_id, changes)
        SELECT enterprise_id, id, now(), 'elsewhere', 'team.update', 'Team', id, '{}' FROM team
        RETURNING id, team_id, pg_notify('trellis', 'elsewhere events/' || team_id)`,
      );
      return rows[0].id as number;
    });

  const everybodyHas = (id: number) =>
    expect
      .poll(() => followers.every(({ ids }) => ids.includes(id)), { timeout: 90_000, interval: 20 })
      .toBe(true);

  const list = new Intl.ListFormat('en-GB').format(outages);
  it(`subscribers get each event once while Postgres ${list} under writes`, {
    timeout,
  }, async () => {
    expect(
      (await ask('mutation { createTeam(input: { name: "team" }) { __typename } }')).errors,
    ).toBeUndefined();
    const before = await asAdmin(
      async (admin) => (await admin.query('SELECT max(id) AS id FROM event')).rows[0].id,
    );
    for (let count = 0; count < 8; count++) followers.push(new Follower(server));
    await expect.poll(() => followers.every(({ lastId }) => lastId !== undefined)).toBe(true);

    let isWriting = true;
    const written: string[] = [];
    const refused = new Set<string>();
    const writers = [1, 2, 3].map(async (writer) => {
      for (let count = 0; isWriting; count++) {
        const alias = `${writer} ${count}`;
        const { errors } = await ask(
          `mutation { updateTeam(input: { team: ${team}, alias: "${alias}" }) { __typename } }`,
        );
        if (errors) refused.add(errors[0].extensions.code);
        else written.push(alias);
        // Waits on time: a client that is refused does not come back at once, and leaves others room.
        await sleep(errors ? 50 : 5);
      }
    });
    const goesOn = async () => {
      await expectReady(200);
      const count = written.length;
      await expect.poll(() => written.length, { timeout: 90_000 }).toBeGreaterThan(count + 5);
    };
    await goesOn();

    const freeze = async () => {
      thaw = postgres.freeze();
      await expectReady(503);
      const beats = followers.map((follower) => follower.heartbeats());
      await expect
        .poll(() => followers.every((follower, index) => follower.heartbeats() > beats[index]! + 3))
        .toBe(true);
      thaw();
      await goesOn();
      await everybodyHas(await recordElsewhere());
    };

    const stop = async () => {
      const [listener] = await listeners();
      await postgres.stop();
      await expectReady(503);
      await expect.poll(() => [...refused]).toEqual(['UNAVAILABLE']);
      await postgres.start();
      await goesOn();
      // Made again, and used: this process is notified of what another one did.
      await expect.poll(listeners, { timeout: 90_000 }).toHaveLength(1);
      expect(await listeners()).not.toContain(listener);
      await everybodyHas(await recordElsewhere());
    };

    const restart = async () => {
      await postgres.stop();
      await postgres.start();
      await goesOn();
    };

    const has = { freezes: freeze, stops: stop, restarts: restart };
    for (const outage of outages) await has[outage]();
    isWriting = false;
    await Promise.all(writers);
    await expect.poll(listeners, { timeout: 90_000 }).toHaveLength(1);
    await everybodyHas(await recordElsewhere());

    const rows = await asAdmin(
      async (admin) =>
        (await admin.query('SELECT id, changes FROM event WHERE id > $1 ORDER BY id', [before])).rows,
    );
    const aliases = new Set(rows.map(({ changes }) => JSON.parse(changes).alias?.[1]));
    expect(written.filter((alias) => !aliases.has(alias))).toEqual([]);
    for (const { ids, ends } of followers) {
      expect([...ids].sort((a, b) => a - b)).toEqual(rows.map(({ id }) => id));
      expect(ends.filter((code) => code !== 'UNAVAILABLE')).toEqual([]);
    }
    expect([...refused]).toEqual(['UNAVAILABLE']);
    expect(trellis.output().stderr).toBe('');
  });
}
