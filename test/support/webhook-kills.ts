import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { groupBy } from '../../src/kernel/group.ts';
import { builtModules } from './built.ts';
import { freePort } from './free-port.ts';
import { clientOf } from './gateways.ts';
import { endProcesses, startProcess } from './process.ts';
import { randomOf } from './random.ts';
import { createMigratedDatabase } from './trellis.ts';
import { startReceiver } from './webhook-receiver.ts';

const writers = 4;
const token = 'a-token-of-at-least-32-characters';

/** Kills a gateway so many times among deliveries. */
export function testWebhookKills(kills: number): void {
  afterAll(endProcesses);

  describe('SIGKILL of a gateway with webhooks', { timeout: 120_000 + kills * 30_000 }, () => {
    it(`at ${kills} random moments loses no delivery, and keeps the order of each object`, async () => {
      const database = await createMigratedDatabase();
      const db = await openDatabase({ url: database.url, poolSize: 1 });
      const settings = {
        DATABASE_URL: database.url,
        PORT: String(await freePort()),
        SECRET_KEY: 'ab'.repeat(32),
        BOOTSTRAP_TOKEN: token,
        STORE_ALLOW_PRIVATE: 'true',
        REQUESTS_PER_SECOND: '0',
        NODE_OPTIONS: `--import=${new URL('./short-leases.mjs', import.meta.url)}`,
        TRELLIS_BUILT: pathToFileURL(builtModules()).href,
      };
      // A bundle has no modules whose settings could be changed.
      const program = join(builtModules(), 'main.js');
      const random = randomOf(11);
      const receiver = await startReceiver(async (_, response) => {
        // Waits on time: receivers answer sooner and later.
        await sleep(random.below(30));
        response.writeHead(random.chance(0.9) ? 200 : 500).end();
      });
      let server = startProcess(settings, program);
      const trellis = clientOf(`http://127.0.0.1:${settings.PORT}`, token, db);
      await server.listening;
      const place = await trellis.createPlace();
      const { teamId } = place.team;
      const applications: number[] = [];
      for (let index = 0; index < 6; index++) {
        applications.push((await trellis.createApplication(place, `app-${index}`)).appId);
      }
      const webhook = { team: { teamId }, url: receiver.url, events: ['application.*'] };
      await trellis.succeed('createWebhook', webhook, 'secret');

      let isOver = false;
      let done = 0;
      const write = async () => {
        while (!isOver) {
          await server.listening;
          try {
            const application = { appId: random.pick(applications) };
            await trellis.attempt('updateApplication', { application, note: `note ${done++}` });
            // Waits on time: the writers leave room for deliveries.
            await sleep(random.below(20));
          } catch (error) {
            // The connection broke. Anything else is an answer that nobody should get.
            if (!(error instanceof TypeError)) throw error;
          }
        }
      };
      const all = Promise.all(Array.from({ length: writers }, write));
      for (let kill = 0; kill < kills; kill++) {
        const before = { done, received: receiver.messages.length };
        await server.listening;
        await expect
          .poll(() => done, { timeout: 60_000, interval: 20 })
          .toBeGreaterThan(before.done + 2 * writers);
        // Most kills are among deliveries.
        const received = () => receiver.messages.length;
        await expect
          .poll(received, { timeout: 60_000, interval: 20 })
          .toBeGreaterThan(before.received + writers);
        // Waits on time: the process is killed at a random moment.
        await sleep(random.below(200));
        server.child.kill('SIGKILL');
        expect(await server.ended).toBe('SIGKILL');
        expect(server.output().stderr).toBe('');
        server = startProcess(settings, program);
      }
      await server.listening;
      isOver = true;
      await all;
      const pending = async () =>
        (await db.query(`SELECT id FROM webhook_delivery WHERE status = 'PENDING'`, [])).length;
      await expect.poll(pending, { timeout: 60_000 + kills * 2_000, interval: 200 }).toBe(0);

      const events = await db.query(
        `SELECT id, subject_id FROM event WHERE action = 'application.update' ORDER BY id`,
        [],
      );
      const firsts = [...new Set(receiver.messages.map(({ payload }) => payload.data.id as number))];
      const byObject = (ids: number[]) => {
        const objectOf = new Map(events.map(([id, object]) => [Number(id), object as string]));
        return Object.fromEntries([...groupBy(ids, (id) => objectOf.get(id)!)].sort());
      };
      // Each event has arrived, and those of one object in their order.
      expect(byObject(firsts)).toEqual(byObject(events.map(([id]) => Number(id))));
      expect(events.length).toBeGreaterThan(kills * writers);
      // What was sent again has the same id.
      const idOf = new Map(
        receiver.messages.map(({ payload, headers }) => [payload.data.id, headers['webhook-id']]),
      );
      for (const { payload, headers } of receiver.messages) {
        expect(headers['webhook-id']).toBe(idOf.get(payload.data.id));
      }
      if (process.env.WEBHOOK_KILLS) {
        process.stdout.write(
          `${kills} kills, ${events.length} events, ${receiver.messages.length} messages\n`,
        );
      }
      server.child.kill('SIGTERM');
      expect(await server.ended).toBe(0);
      await receiver.close();
      await db.close();
      await database.drop();
    });
  });
}
