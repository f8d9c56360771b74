import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blockedBy } from './blocked.ts';
import type { Place } from './fixtures.ts';
import { endProcesses, startProcess, type TrellisProcess } from './process.ts';
import { send } from './send.ts';
import { answerTemplates, type StoreServer, startStoreServer, storeKey } from './store-server.ts';
import { largeTemplate } from './templates.ts';
import { startTrellis, type Trellis } from './trellis.ts';

/**
 * The longest time that a health check may wait, in CPU time of the gateway's event loop. It is far above what a request
 * takes at once, so that only work that is not divided reaches it.
 */
const mostMs = 2_000;
const agent = new Agent({ keepAlive: true });

let world: Trellis;
let place: Place;
let store: StoreServer;
let key: string;
let startOther: (settings?: Record<string, string>) => TrellisProcess;
/** The gateway in a process of its own, whose event loop is watched; without it, the one of this process is asked. */
let watched: TrellisProcess | undefined;
let target: { url: string; adminToken: string };

/** Versions of the greatest length, of which only the first two have a template. */
const versionOf = (index: number) =>
  `${index + 1}.${'0'.repeat(40)}1.${'1'.repeat(21 - String(index + 1).length)}`;

interface Size {
  parts: number;
  versions: number;
  /** Whether the gateway has a process of its own, and no request may block it. */
  isWatched: boolean;
}

function prepare({ parts, versions: versionCount, isWatched }: Size): void {
  beforeAll(async () => {
    const secretKey = randomBytes(32);
    world = await startTrellis({ secretKey });
    place = await world.createPlace();
    const one = largeTemplate(parts, versionOf(0));
    key = one.key;
    const templates = new Map(
      [one, largeTemplate(parts, versionOf(1), key)].map(({ version, text }) => [version, text]),
    );
    const versions = Array.from({ length: versionCount }, (_, index) => ({ appVersion: versionOf(index) }));
    const entry = { appKeyID: key, name: 'Largest', versions };
    store = await startStoreServer(answerTemplates(new Map([[key, { entry, templates }]])));
    startOther = (settings = {}) =>
      startProcess({
        DATABASE_URL: world.databaseUrl,
        SECRET_KEY: secretKey.toString('hex'),
        NODE_OPTIONS: '--max-old-space-size=512',
        RATE_LIMIT_PER_SECOND: '0',
        LIMIT_CHANGE_OBJECTS: '1000000',
        MAX_DEPLOY_KIB: '65536',
        STORE_ALLOW_PRIVATE: 'true',
        ...settings,
      });
    watched = isWatched ? startOther() : undefined;
    target = { url: watched ? await watched.listening : world.url, adminToken: world.adminToken };
  });
  afterAll(async () => {
    agent.destroy();
    await endProcesses();
    await store?.close();
    await world?.close();
  });
}

/** Sends a request, which may not block the gateway, and returns its answer. */
async function unblocked(make: () => Promise<Parameters<typeof send>[1]>): Promise<any> {
  const request = send(target, { ...(await make()), agent });
  if (!watched) return (await request).body;
  const { answer, blockedMs } = await blockedBy(watched, target, request);
  expect(blockedMs).toBeLessThanOrEqual(mostMs);
  return answer.body;
}

const document = (query: string, input: object) => ({
  body: JSON.stringify({ query, variables: { input } }),
});
const many = (count: number, selection: string) =>
  Array.from({ length: count }, (_, index) => `a${index}: ${selection}`).join(' ');

const payload = (name: string, selection: string) => `mutation Change($input: ${name}Input!) {
  ${name[0]!.toLowerCase()}${name.slice(1)}(input: $input) {
    __typename ... on Error { code message } ... on ${name}Payload { ${selection} }
  }
}`;
const install = (appId: number, dryRun: boolean) => ({
  application: { appId },
  store: { url: store.url, domain: store.url, accessKey: storeKey },
  templateId: key,
  version: versionOf(0),
  deploy: true,
  dryRun,
});
const upgrade = (appId: number, dryRun: boolean) => ({
  application: { appId },
  upgrades: [{ storeName: store.url, templateId: key, version: versionOf(1) }],
  dryRun,
});
const createOwn = async () => (await world.createApplication(place)).appId;
const created = async () => {
  const appId = await createOwn();
  const of = document(payload('InstallApplication', 'group { uid }'), install(appId, false));
  const { installApplication } = (await send(target, of)).body.data;
  return { appId, group: { groupId: installApplication.group.uid } };
};
const upgraded = async () => {
  const { appId, group } = await created();
  await send(target, document(payload('UpgradeApplication', '__typename'), upgrade(appId, false)));
  return group;
};

/** Installs, upgrades, rolls back and uninstalls a template of a store. */
export function testLargeTemplates(title: string, size: Size): void {
  const { parts, versions } = size;
  prepare(size);

  describe(title, { timeout: 600_000 }, () => {
    it('does not block other requests while it is installed', async () => {
      const plan = 'plan { action objectType objectUid name }';
      const appId = await createOwn();
      const planned = await unblocked(async () =>
        document(payload('InstallApplication', many(10, plan)), install(appId, true)),
      );
      expect(planned.data.installApplication.a9).toHaveLength(planned.data.installApplication.a0.length);
      expect(planned.data.installApplication.a0.length).toBeGreaterThan(parts);
      const made = await unblocked(async () =>
        document(
          payload('InstallApplication', 'application { componentCount }'),
          install(await createOwn(), false),
        ),
      );
      expect(made.data.installApplication.application).toEqual({ componentCount: parts });
    });

    it('does not block other requests while its versions are read', async () => {
      const { appId } = await created();
      const path = `/openapi/v1/teams/${place.team.teamId}/regions/${place.region.name}/apps/${appId}/upgrade`;
      const [report] = await unblocked(async () => ({ path }));
      expect(report.upgrade_versions).toHaveLength(versions - 1);
      const read = (selection: string) =>
        unblocked(async () => document(`{ application(by: { appId: ${appId} }) { ${selection} } }`, {}));
      const few = await read(many(100, 'upgrades { canUpgrade }'));
      expect(few.data.application.a99).toEqual([{ canUpgrade: true }]);
      const all = await read(many(400, 'upgrades { canUpgrade upgradeVersions }'));
      expect(all.errors[0].extensions.code).toBe('LIMIT_EXCEEDED');
    });

    it('does not block other requests while it is upgraded, rolled back and uninstalled', async () => {
      const outcome = 'changes { component kind name before after }';
      const { appId } = await created();
      const planned = await unblocked(async () =>
        document(payload('UpgradeApplication', `outcomes { ${outcome} }`), upgrade(appId, true)),
      );
      expect(planned.data.upgradeApplication.outcomes[0].changes.length).toBeGreaterThan(19 * parts);
      const made = await unblocked(async () =>
        document(payload('UpgradeApplication', '__typename'), upgrade((await created()).appId, false)),
      );
      expect(made.data.upgradeApplication.__typename).toBe('UpgradeApplicationPayload');
      const back = await unblocked(async () => ({
        ...document(payload('RollbackUpgrade', `outcome { ${outcome} }`), { group: await upgraded() }),
        headers: { 'Trellis-Explain': '1' },
      }));
      const { limits } = back.extensions.explain;
      const memory = limits.find(({ name }: { name: string }) => name === 'ANSWERS_MEMORY_MIB');
      // With room for letters beyond Latin. A gateway in this process has no limit.
      if (watched) expect(memory.used).toBeLessThan(memory.max * 0.85);
      expect(back.data.rollbackUpgrade.outcome.changes.length).toBeGreaterThan(19 * parts);
      const gone = await unblocked(async () =>
        document(payload('UninstallComponentGroup', 'plan { objectUid }'), {
          group: (await created()).group,
          force: true,
        }),
      );
      expect(gone.data.uninstallComponentGroup.plan.length).toBeGreaterThan(parts);
    });
  });
}

/** How many rows each table has, without seals, which are made in the background. */
async function countsOfChanges() {
  const { record_seal: _seals, ...counts } = await world.counts();
  return counts;
}

/** Has a request for a template exceed its time limit. */
export function testTimeLimit(): void {
  describe('the time limit of a request', () => {
    it('ends the work on a template where it is', async () => {
      const { appId } = await created();
      const own = await createOwn();
      const counts = await countsOfChanges();
      const hasty = startOther({ REQUEST_TIMEOUT_MS: '200' });
      const at = { url: await hasty.listening, adminToken: world.adminToken };
      for (const [name, input] of [
        ['InstallApplication', install(own, false)],
        ['UpgradeApplication', upgrade(appId, false)],
      ] as const) {
        const { body } = await send(at, document(payload(name, '__typename'), input));
        expect(body.errors).toMatchObject([
          {
            message: 'The request took longer than 0.2 s and was stopped.',
            extensions: { code: 'UNAVAILABLE' },
          },
        ]);
      }
      expect(await countsOfChanges()).toEqual(counts);
    });
  });
}
