import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withBuilder } from './fixtures.ts';
import { endProcesses, startProcess, type TrellisProcess } from './process.ts';
import { answerTemplates, type StoreServer, startStoreServer, storeKey } from './store-server.ts';
import { ringTemplate } from './templates.ts';
import { type Client, createMigratedDatabase, type TestDatabase } from './trellis.ts';

/** When the process is killed: milliseconds after the store was asked for the template, or behind the answer. */
export type KillMoment = number | 'answered';

const token = 'bootstrap-token-of-at-least-32-characters';

/** Kills a process at these moments of an installation and of an upgrade of so many components. */
export function describeKills({
  size,
  moments,
  bothSides,
}: {
  size: number;
  moments: readonly KillMoment[];
  /** Whether the moments lie on both sides of the commit. */
  bothSides: boolean;
}): void {
  const first = ringTemplate(size);
  const next = ringTemplate(size + 10, { key: first.key, version: '2.0.0' });
  const entry = {
    appKeyID: first.key,
    name: 'Ring',
    versions: [{ appVersion: '1.0.0' }, { appVersion: '2.0.0' }],
  };
  const templates = new Map([first, next].map(({ version, text }) => [version, text]));
  const states = {
    none: '0  0',
    installed: `${size} 1.0.0 1.0.0 0`,
    upgraded: `${size + 10} 2.0.0 2.0.0 1`,
  };

  describe('a process that is killed', () => {
    let store: StoreServer;
    let database: TestDatabase;
    /** What starts after a kill is looked at, and is the next to be killed. */
    let running: TrellisProcess;
    let onTemplate = () => {};
    const start = () =>
      startProcess({
        DATABASE_URL: database.url,
        BOOTSTRAP_TOKEN: token,
        SECRET_KEY: '0'.repeat(64),
        STORE_ALLOW_PRIVATE: 'true',
        LOG_LEVEL: 'info',
      });
    beforeAll(async () => {
      const answer = answerTemplates(new Map([[first.key, { entry, templates }]]));
      store = await startStoreServer((request, response) => {
        answer(request, response);
        if (request.url!.includes('getTemplate')) onTemplate();
      });
      database = await createMigratedDatabase();
      running = start();
    });
    afterAll(async () => {
      await endProcesses();
      await store?.close();
      await database?.drop();
    });

    it.each(['install', 'upgrade'] as const)(
      'in the middle of an %s leaves all of it or nothing',
      { timeout: 240_000 },
      async (what) => {
        const [before, after] =
          what === 'install' ? [states.none, states.installed] : [states.installed, states.upgraded];
        const outcomes = new Set<string>();
        for (const moment of moments) {
          const url = await running.listening;
          const api = withBuilder({
            data: (query: string, variables = {}) => ask(url, query, variables),
          } as unknown as Client);
          const application = await api.createApplication(await api.createPlace());
          const wanted = {
            application: { appId: application.appId },
            store: { url: store.url, domain: 'test', accessKey: storeKey },
            templateId: first.key,
          };
          if (what === 'upgrade') {
            await api.succeed('installApplication', { ...wanted, version: '1.0.0' }, 'group { uid }');
          }
          const asked = new Promise<void>((resolve) => {
            onTemplate = resolve;
          });
          const request =
            what === 'install'
              ? api.attempt('installApplication', { ...wanted, version: '1.0.0' })
              : api.attempt('upgradeApplication', {
                  application: wanted.application,
                  upgrades: [{ storeName: 'test', templateId: first.key, version: '2.0.0' }],
                });
          const answer = request.then(
            () => 'answered',
            () => 'cut off',
          );
          await asked;
          if (moment === 'answered') await answer;
          // Waits on time: kills fall anywhere between the answer of the store and the commit.
          else await new Promise((resolve) => setTimeout(resolve, moment));
          running.child.kill('SIGKILL');
          await running.ended;
          const outcome = await answer;
          running = start();
          const state = await stateOf(await running.listening, application.appId);
          expect([before, after]).toContain(state);
          if (outcome === 'answered') expect(state).toBe(after);
          outcomes.add(state);
        }
        if (bothSides) expect(outcomes).toEqual(new Set([before, after]));
      },
    );
  });
}

/** How many components an application has and of which versions; each of them is complete. */
async function stateOf(url: string, appId: number): Promise<string> {
  const { application } = await ask(
    url,
    `{ application(by: { appId: ${appId} }) { componentCount upgradeRecords { totalCount }
       components(first: 100) { nodes { version group { templateVersion } ports { totalCount } variables { totalCount } volumes { totalCount } dependencies { totalCount } } } } }`,
  );
  for (const each of application.components.nodes) {
    expect(each).toMatchObject({
      ports: { totalCount: 1 },
      // Its own, and the two that are derived from its port.
      variables: { totalCount: 3 },
      volumes: { totalCount: 1 },
      dependencies: { totalCount: 1 },
    });
  }
  const versions = application.components.nodes.map(
    ({ version, group }: any) => `${version} ${group.templateVersion}`,
  );
  return `${application.componentCount} ${[...new Set(versions)].join()} ${application.upgradeRecords.totalCount}`;
}

async function ask(url: string, query: string, variables: object = {}) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as any;
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}
