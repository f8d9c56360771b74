import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Place } from './fixtures.ts';
import { answerTemplates, type StoreServer, startStoreServer, storeKey } from './store-server.ts';
import { ringTemplate } from './templates.ts';
import { startTrellis, type Trellis } from './trellis.ts';

type App = Parameters<NonNullable<NonNullable<Parameters<typeof ringTemplate>[1]>['edit']>>[0];

let trellis: Trellis;
let place: Place;

/** A store with one template in two versions, that differ in every component. */
async function startStore(size: number, variables: number) {
  const edit = (value: string) => (app: App) => {
    app.port_map_list[0].is_outer_service = value === 'new';
    for (let index = 1; index < variables; index++) {
      app.service_env_map_list.push({ attr_name: `V${index}`, attr_value: value });
    }
  };
  const one = ringTemplate(size, { edit: edit('old') });
  const two = ringTemplate(size, { key: one.key, version: '2.0.0', edit: edit('new') });
  const entry = {
    appKeyID: one.key,
    name: 'Ring',
    versions: [{ appVersion: '1.0.0' }, { appVersion: '2.0.0' }],
  };
  const templates = new Map([one, two].map(({ version, text }) => [version, text]));
  const store = await startStoreServer(answerTemplates(new Map([[one.key, { entry, templates }]])));
  return { key: one.key, store };
}

const install = (appId: number, key: string, store: StoreServer) =>
  trellis.succeed(
    'installApplication',
    {
      application: { appId },
      store: { url: store.url, domain: store.url, accessKey: storeKey },
      templateId: key,
      version: '1.0.0',
      deploy: true,
    },
    'group { uid }',
  );
const upgrade = (appId: number, key: string, store: StoreServer) =>
  trellis.succeed(
    'upgradeApplication',
    {
      application: { appId },
      upgrades: [{ storeName: store.url, templateId: key, version: '2.0.0' }],
    },
    'application { appId: uid }',
  );

/** How often `/healthz` answers between the first row that is written and the end of the work. */
async function answersDuring(table: string, work: Promise<unknown>): Promise<number> {
  trellis.statements.length = 0;
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  let answers = 0;
  while (!isDone) {
    const response = await fetch(`${trellis.url}/healthz`);
    await response.text();
    if (!isDone && response.ok && trellis.statements.some((text) => text.includes(table))) answers++;
  }
  await done;
  return answers;
}

export interface LargeInstalls {
  /** The components of the application that is installed and upgraded. */
  components: number;
  /** The upgrades that wait for each other. */
  upgrades: number;
  /** More health checks than this are answered beside the installation, the upgrade, and the upgrades. */
  answers: { alone: number; together: number };
}

/** Asks a gateway for its health while large templates are installed and upgraded. */
export function describeLargeInstalls({ components, upgrades, answers }: LargeInstalls): void {
  beforeAll(async () => {
    // However slow the machine, no upgrade gives up because it waited for the others.
    trellis = await startTrellis({
      database: { poolSize: 20, lockTimeoutMs: 100_000 },
      // By default, no change installs as many components.
      limits: { requestTimeoutMs: 100_000, changeObjects: 100_000, applicationObjects: 100_000 },
    });
    place = await trellis.createPlace();
  });
  afterAll(() => trellis.close());

  describe('other requests are answered', { timeout: 240_000 }, () => {
    it(`while ${components} components with 20 variables each are installed and upgraded`, async () => {
      const { key, store } = await startStore(components, 20);
      const { appId } = await trellis.createApplication(place);
      expect(await answersDuring('INSERT INTO "component"', install(appId, key, store))).toBeGreaterThan(
        answers.alone,
      );
      expect(
        await answersDuring('UPDATE "environment_variable"', upgrade(appId, key, store)),
      ).toBeGreaterThan(answers.alone);
      const { application } = await trellis.data(
        `{ application(by: { appId: ${appId} }) { componentCount upgrades { currentVersion }
         components(first: 1) { nodes { image variables { totalCount } ports { nodes { isOuter } } accessUrls } } } }`,
      );
      expect(application).toMatchObject({
        componentCount: components,
        upgrades: [{ currentVersion: '2.0.0' }],
        // Two of them tell how the port is reached.
        components: { nodes: [{ variables: { totalCount: 22 }, ports: { nodes: [{ isOuter: true }] } }] },
      });
      expect(application.components.nodes[0].accessUrls).toHaveLength(1);
      await store.close();
    });

    it('while many upgrades wait for each other', async () => {
      const { key, store } = await startStore(10, 5);
      const applications: { appId: number }[] = [];
      for (let index = 0; index < upgrades; index++) {
        const application = await trellis.createApplication(place);
        await install(application.appId, key, store);
        applications.push(application);
      }
      const work = Promise.all(applications.map(({ appId }) => upgrade(appId, key, store)));
      expect(await answersDuring('UPDATE "component"', work)).toBeGreaterThan(answers.together);
      await store.close();
    });
  });

  describe('the number of statements', () => {
    it('does not depend on the number of components, up to the size of a batch', async () => {
      const counts: number[][] = [];
      for (const size of [5, 20]) {
        const { key, store } = await startStore(size, 2);
        const { appId } = await trellis.createApplication(place);
        const count = async (work: () => Promise<unknown>) => {
          trellis.statements.length = 0;
          await work();
          return trellis.statements.length;
        };
        // The token is accepted for a while without a look.
        await trellis.data('{ viewer { isAdministrator } }');
        counts.push([
          await count(() => install(appId, key, store)),
          await count(() => upgrade(appId, key, store)),
        ]);
        await store.close();
      }
      expect(counts[1]).toEqual(counts[0]);
    });
  });
}
