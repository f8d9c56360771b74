import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { clientOf } from '../support/gateways.ts';
import { simulatedInstance } from '../support/instances.ts';
import { endProcesses, startProcess, type TrellisProcess } from '../support/process.ts';
import { startsProcesses } from '../support/starts-processes.ts';
import { createMigratedDatabase, type TestDatabase, type Trellis } from '../support/trellis.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

startsProcesses();

const token = 'a-token-of-at-least-32-characters';
const minuteMs = 60_000;
/** What is done by the clock of the gateway comes so late that a test fails before. */
const aheadMs = 60 * minuteMs;
const waiting = { timeout: 60_000, interval: 50 };

describe('a gateway whose clock is an hour ahead of that of its database', () => {
  let database: TestDatabase;
  let db: Database;
  let server: TrellisProcess;
  let trellis: Trellis;
  let receiver: WebhookReceiver;
  let teamId: string;
  let component: { componentId: string };
  beforeAll(async () => {
    database = await createMigratedDatabase();
    receiver = await startReceiver();
    server = startProcess({
      DATABASE_URL: database.url,
      SECRET_KEY: 'ab'.repeat(32),
      BOOTSTRAP_TOKEN: token,
      STORE_ALLOW_PRIVATE: 'true',
      SIMULATED_DELAY_MS: '0',
      NODE_OPTIONS: `--import=${new URL('../support/clock.mjs', import.meta.url)}`,
      TEST_CLOCK_AHEAD_MS: String(aheadMs),
    });
    db = await openDatabase({ url: database.url, poolSize: 2 });
    trellis = clientOf(await server.listening, token, db);
    ({ teamId } = await trellis.createTeam());
    ({ component } = await simulatedInstance(trellis, teamId));
  });
  afterAll(async () => {
    await endProcesses();
    await receiver.close();
    await db.close();
    await database.drop();
  });

  const statusOf = async (runId: string) => {
    const [row] = await db.componentRun.findManyByKeys({ by: 'id', keys: [runId] });
    return row!.status;
  };
  const start = async (command: string[]): Promise<string> =>
    (await trellis.succeed('runComponent', { component, command }, 'run { runId: uid }')).run.runId;

  it('says so in its log and to readiness probes', async () => {
    const detail = async () => ((await (await fetch(`${trellis.url}/readyz`)).json()) as any).detail;
    await vi.waitFor(
      async () =>
        expect(await detail()).toMatch(
          /^The clock of this gateway is 3(599|600) seconds ahead of that of the database\.$/,
        ),
      waiting,
    );
    const lines = () => server.log().filter(({ msg }) => msg.startsWith('the clock of this gateway differs'));
    // The log can arrive after the response.
    await expect.poll(() => lines().length, waiting).toBe(1);
    expect(lines()[0]!.aheadMs).toBeGreaterThan(aheadMs - minuteMs);
  });

  it('carries out runs and cancels them at once', async () => {
    const short = await start(['true']);
    await vi.waitFor(async () => expect(await statusOf(short)).toBe('succeeded'), waiting);
    const long = await start(['sleep', '600']);
    await trellis.succeed('cancelRun', { run: { runId: long } }, 'run { uid }');
    await vi.waitFor(async () => expect(await statusOf(long)).toBe('cancelled'), waiting);
  });

  it('sends deliveries, tests and repetitions at once', async () => {
    const input = { team: { teamId }, url: receiver.url, events: ['run.*'] };
    const { webhook } = await trellis.succeed('createWebhook', input, 'webhook { webhookId: uid }');
    await start(['true']);
    const received = (type: string, count: number) =>
      vi.waitFor(
        () => expect(receiver.messages.filter(({ payload }) => payload.type === type)).toHaveLength(count),
        waiting,
      );
    await received('run.start', 1);
    const { delivery } = await trellis.succeed('testWebhook', { webhook }, 'delivery { deliveryId: uid }');
    await received('webhook.test', 1);
    await vi.waitFor(async () => {
      const [row] = await db.webhookDelivery.findManyByKeys({
        by: 'id',
        keys: [Number(delivery.deliveryId)],
      });
      expect(row!.status).toBe('DELIVERED');
    }, waiting);
    await trellis.succeed('redeliver', { delivery }, 'delivery { uid }');
    await received('webhook.test', 2);
  });

  it('gives new schedules the next time by the clock of the database', async () => {
    const input = { component, cron: '* * * * *', command: ['true'] };
    const { schedule } = await trellis.succeed('createSchedule', input, 'schedule { scheduleId: uid }');
    const inTime = async () => {
      const [[nowMs]] = (await db.query(`SELECT ${db.dialect.nowMs}`, [])) as [[number]];
      const [row] = await db.schedule.findManyByKeys({ by: 'id', keys: [schedule.scheduleId] });
      return row!.nextRunAt!.getTime() - nowMs <= minuteMs;
    };
    expect(await inTime()).toBe(true);
    await trellis.succeed('updateSchedule', { schedule, cron: '*/1 * * * *' }, 'schedule { uid }');
    expect(await inTime()).toBe(true);
  });
});
