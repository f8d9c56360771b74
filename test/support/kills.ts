import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { type Place, unique } from './fixtures.ts';
import { freePort } from './free-port.ts';
import { clientOf } from './gateways.ts';
import { createInstall } from './installs.ts';
import { expectConsistent } from './invariants.ts';
import { endProcesses, startProcess } from './process.ts';
import { type Random, randomOf } from './random.ts';
import { createMigratedDatabase, type Trellis } from './trellis.ts';

const timeout = 480_000;
const writers = 5;
const token = 'a-token-of-at-least-32-characters';

/** What the writers know of, which may be gone by now. */
interface Known {
  places: Place[];
  appIds: number[];
  componentIds: string[];
  groupIds: number[];
  ports: { componentId: string; number: number }[];
}

const some = <T>(random: Random, list: readonly T[]): T | undefined =>
  list.length > 0 ? random.pick(list) : undefined;

/** One change of what a team has, chosen at random. It may be refused, and the process may die meanwhile. */
async function changeSomething(trellis: Trellis, random: Random, known: Known, install: Install) {
  const { team, region } = random.pick(known.places);
  const application = { appId: some(random, known.appIds) ?? 0 };
  const component = { componentId: some(random, known.componentIds) ?? 'none' };
  const port = some(random, known.ports);
  const at = port
    ? { at: { component: { componentId: port.componentId }, number: port.number } }
    : { id: '' };
  const changes: [weight: number, change: () => Promise<void>][] = [
    [
      2,
      async () => {
        const place = { team: { teamId: team.teamId }, region: { regionId: region.regionId } };
        const input = { ...place, name: unique('app') };
        const made = await trellis.attempt('createApplication', input, 'application { appId: uid }');
        if (made.application) known.appIds.push(made.application.appId);
      },
    ],
    [
      5,
      async () => {
        const made = await trellis.attempt(
          'createComponent',
          {
            application,
            name: unique('web'),
            alias: unique('web'),
            image: 'nginx:1.29',
            deploy: random.chance(0.7),
            variables: [{ name: 'DB_PASSWORD', value: 'secret' }],
            volumes: [{ name: 'data', path: '/data', type: 'share-file' }],
          },
          'component { uid }',
        );
        if (made.component) known.componentIds.push(made.component.uid);
      },
    ],
    [
      5,
      async () => {
        const number = 1 + random.below(65_535);
        const input = { component, number, protocol: random.pick(['HTTP', 'TCP']), isInner: true };
        const made = await trellis.attempt('addPort', input, 'port { id }');
        if (made.port) known.ports.push({ componentId: component.componentId, number });
      },
    ],
    [4, async () => void (await trellis.attempt('openOuterService', { port: at }))],
    [1, async () => void (await trellis.attempt('closeOuterService', { port: at }))],
    [1, async () => void (await trellis.attempt('deletePort', { port: at }))],
    [
      2,
      async () =>
        void (await trellis.attempt('createHttpRule', {
          application,
          component: { componentId: port?.componentId ?? '' },
          portNumber: port?.number ?? 1,
          domain: `${unique('www')}.example`,
          opensPort: true,
        })),
    ],
    [
      2,
      async () =>
        void (await trellis.attempt('scaleComponent', { component, replicas: 1 + random.below(5) })),
    ],
    [1, async () => void (await trellis.attempt('stopComponent', { component, force: true }))],
    [2, async () => void (await trellis.attempt('deployApplication', { application }))],
    [
      4,
      async () => {
        const entry = {
          image: `nginx:1.${random.below(30)}`,
          variables: { MODE: String(random.below(9)), DB_PASSWORD: 'secret' },
          ports: { [80 + random.below(3)]: { protocol: 'http' } },
        };
        const names = ['front', 'middle', 'back'].slice(0, 1 + random.below(3));
        const [, ...rest] = names;
        const components = Object.fromEntries(names.map((name) => [name, entry]));
        if (rest.length > 0) components.front = { ...entry, dependsOn: rest } as typeof entry;
        await trellis.attempt('applyManifest', {
          team: { teamId: team.teamId },
          region: { regionId: region.regionId },
          document: JSON.stringify({ application: 'filed', components }),
          prune: 'OWNED',
          allowsDestruction: true,
        });
      },
    ],
    [2, async () => void (await trellis.attempt('deleteComponent', { component, force: true }))],
    [1, async () => void (await trellis.attempt('deleteApplication', { application, force: true }))],
    [
      3,
      async () => {
        const selection = 'group { uid application { appId: uid } }';
        const made = await trellis.attempt(
          'installApplication',
          { ...install.input, application },
          selection,
        );
        if (made.group) known.groupIds.push(made.group.uid);
      },
    ],
    [3, async () => void (await trellis.attempt('upgradeApplication', { ...install.upgrade, application }))],
    [
      2,
      async () => {
        const group = { groupId: some(random, known.groupIds) ?? 0 };
        await trellis.attempt('uninstallComponentGroup', { group, force: true });
      },
    ],
  ];
  await random.pick(changes.flatMap(([weight, change]) => Array<typeof change>(weight).fill(change)))();
}

interface Install {
  input: object;
  upgrade: object;
}

/** Kills a gateway so many times while others write, and looks at what is left. */
export function testKills(kills: number): void {
  afterAll(endProcesses);

  describe('SIGKILL', { timeout }, () => {
    it(`at ${kills} random moments of changes leaves nothing half done, and the next start goes on`, async () => {
      const database = await createMigratedDatabase();
      const db = await openDatabase({ url: database.url, poolSize: 1 });
      const settings = {
        DATABASE_URL: database.url,
        PORT: String(await freePort()),
        SECRET_KEY: 'ab'.repeat(32),
        BOOTSTRAP_TOKEN: token,
        STORE_ALLOW_PRIVATE: 'true',
        SIMULATED_DELAY_MS: '50',
        JOB_POLL_MS: '50',
        JOB_LEASE_MS: '300',
        REQUESTS_PER_SECOND: '0',
      };
      let server = startProcess(settings);
      const trellis = clientOf(`http://127.0.0.1:${settings.PORT}`, token, db);
      const random = randomOf(7);
      const known: Known = { places: [], appIds: [], componentIds: [], groupIds: [], ports: [] };
      await server.listening;
      for (const driver of ['declared', 'simulated']) {
        const place = await trellis.createPlace();
        await db.transaction((tx) =>
          tx.region.update({ where: { id: place.region.regionId }, data: { driver } }),
        );
        known.places.push(place);
      }
      const { ring, application, upgrade } = await createInstall(trellis, known.places[1]!, 6);
      known.appIds.push(application.appId);
      const store = { url: trellis.url, domain: 'self', accessKey: token };
      const install = {
        input: { store, templateId: ring.key, version: '1.0.0', deploy: true },
        upgrade: {
          upgrades: upgrade.update_versions.map(({ market_name }) => ({
            storeName: market_name,
            templateId: ring.key,
            version: '2.0.0',
          })),
        },
      };

      let isOver = false;
      let done = 0;
      const write = async () => {
        while (!isOver) {
          await server.listening;
          try {
            await changeSomething(trellis, random, known, install);
            done++;
          } catch (error) {
            // The connection broke. Anything else is an answer that nobody should get.
            if (!(error instanceof TypeError)) throw error;
          }
        }
      };
      const all = Promise.all(Array.from({ length: writers }, write));
      for (let kill = 0; kill < kills; kill++) {
        const before = done;
        await server.listening;
        await expect.poll(() => done, { timeout: 90_000, interval: 20 }).toBeGreaterThan(before + writers);
        // Waits on time: the process is killed at a random moment.
        await sleep(random.below(200));
        server.child.kill('SIGKILL');
        expect(await server.ended).toBe('SIGKILL');
        expect(server.output().stderr).toBe('');
        server = startProcess(settings);
        if (kill % 5 === 0) await expectConsistent(trellis);
      }
      await server.listening;
      isOver = true;
      await all;
      const unfinished = () =>
        db.query(`SELECT id FROM job_component WHERE status IN ('pending', 'running')`, []);
      await expect.poll(unfinished, { timeout: 60_000 }).toEqual([]);
      await expectConsistent(trellis);
      server.child.kill('SIGTERM');
      expect(await server.ended).toBe(0);
      await db.close();
      await database.drop();
    });
  });
}
