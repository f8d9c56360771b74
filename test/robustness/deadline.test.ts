import type { Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/app.ts';
import type { RegionFigures } from '../../src/drivers/region/driver.ts';
import type { All } from '../support/fixtures.ts';
import { startHeldStore } from '../support/held-store.ts';
import { driverOf } from '../support/region-drivers.ts';
import { send } from '../support/send.ts';
import { databaseKind, useTrellis } from '../support/trellis.ts';

const requestTimeoutMs = 1_500;
const tooLong = 'The request took longer than 1.5 s and was stopped.';
const figures: RegionFigures = {
  usedCpuCores: 1,
  totalCpuCores: 1,
  usedMemoryMiB: 1,
  totalMemoryMiB: 1,
  usedDiskGiB: 1,
  totalDiskGiB: 1,
};

/** A cluster that does not answer before it is told to. */
let release = () => {};
let whenAsked = () => {};
const held = driverOf({
  name: 'held',
  figures: (regions) =>
    new Promise((resolve) => {
      release = () => resolve(new Map(regions.map(({ id }) => [id, figures])));
      whenAsked();
    }),
});
const asked = () =>
  new Promise<void>((resolve) => {
    whenAsked = resolve;
  });

/** Another server on the same database, which has less time. */
let hasty: Server;
let target: { url: string; adminToken: string };
let scene: All;
const trellis = useTrellis({ drivers: [held] });
beforeAll(async () => {
  scene = await trellis.createAll();
  hasty = createApp(trellis.services, {
    graphiql: false,
    bodyLimitBytes: 1_048_576,
    limits: { requestTimeoutMs },
  });
  await new Promise<void>((resolve) => hasty.listen(0, '127.0.0.1', resolve));
  const { port } = hasty.address() as { port: number };
  target = { url: `http://127.0.0.1:${port}`, adminToken: trellis.adminToken };
  await trellis.services.db.transaction((tx) =>
    tx.region.update({ where: { id: scene.region.regionId }, data: { driver: 'held' } }),
  );
});
afterAll(async () => {
  hasty?.close();
});

const ask = (query: string, variables?: object) =>
  send(target, { body: JSON.stringify({ query, variables }) });

describe('a request that takes too long', () => {
  it.each(['the first time', 'when its document is kept'])('is UNAVAILABLE in GraphQL, %s', async () => {
    const query = `{region(by:{regionId:"${scene.region.regionId}"}){name usage{usedCpuCores}}}`;
    const { status, headers, body } = await ask(query);
    release();
    expect(status).toBe(503);
    expect(headers['retry-after']).toBe('1');
    expect(body).toEqual({
      errors: [{ message: tooLong, extensions: { code: 'UNAVAILABLE', requestId: expect.any(String) } }],
    });
  });

  it('is UNAVAILABLE in REST', async () => {
    const path = `/openapi/v1/regions/${scene.region.regionId}?extend_info=true`;
    const { status, headers, body } = await send(target, { path });
    release();
    expect(status).toBe(503);
    expect(headers['retry-after']).toBe('1');
    expect(body).toMatchObject({ code: 'UNAVAILABLE', detail: tooLong });
  });

  it('sends no further reads', async () => {
    const usage = 'usage{usedCpuCores}';
    const begun = asked();
    const answer = ask(
      `{application(by:{appId:${scene.application.appId}}){region{name ${usage} teams{totalCount}}}}`,
    );
    await begun;
    expect((await answer).status).toBe(503);
    trellis.statements.length = 0;
    release();
    await new Promise(setImmediate);
    expect(trellis.statements).toEqual([]);
  });

  it('rolls back what is not committed', async () => {
    const before = await trellis.counts();
    const store = await startHeldStore();
    try {
      const { status, body } = await send(target, { body: store.install(scene.application.appId) });
      expect(status).toBe(503);
      expect(body.errors[0]).toMatchObject({ message: tooLong, extensions: { code: 'UNAVAILABLE' } });
      store.release();
    } finally {
      await store.close();
    }
    expect(await trellis.counts()).toEqual(before);
  });

  it('succeeds when the change was already committed', async () => {
    const begun = asked();
    const name = 'committed-in-time';
    const answer = ask(
      `mutation($input: CreateComponentInput!){createComponent(input:$input){... on CreateComponentPayload{
        component{name region{usage{usedCpuCores}}}}}}`,
      {
        input: { application: { appId: scene.application.appId }, name, alias: name, image: 'nginx:1.29' },
      },
    );
    await begun;
    // The time for the request ends now, that of the cluster later.
    // Waits on time: a timer that is set after that of the request, for no less time, fires after it.
    await new Promise((resolve) => setTimeout(resolve, requestTimeoutMs + 100));
    release();
    expect((await answer).body).toEqual({
      data: { createComponent: { component: { name, region: { usage: { usedCpuCores: 1 } } } } },
    });
  });

  it.runIf(databaseKind === 'postgres')('has its statements cancelled', async () => {
    await trellis.services.db.transaction(async (tx) => {
      await tx.$executeRawUnsafe('LOCK TABLE component IN ACCESS EXCLUSIVE MODE');
      const components = `{application(by:{appId:${scene.application.appId}}){components{nodes{name}}}}`;
      const { status, body } = await ask(components);
      expect(status).toBe(503);
      expect(body.errors[0].message).toBe(tooLong);
      // Other suites wait for locks in other databases of the same server.
      const waiting = async () => {
        const [row] = await tx.$queryRawUnsafe<{ waiting: number }[]>(
          "SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
        );
        return row!.waiting;
      };
      await expect.poll(waiting, { timeout: 90_000 }).toBe(0);
    });
  });
});
