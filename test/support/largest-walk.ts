import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { getNamedType, isInputObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { encodeGlobalId } from '../../src/kernel/global-id.ts';
import { argumentsOf, refused } from './aliases.ts';
import { createCallers, known } from './callers.ts';
import { everyChange } from './every-change.ts';
import type { Place } from './fixtures.ts';
import { ended } from './jobs.ts';
import { createWalk } from './largest-answers.ts';
import { createHeavy, fillApplication, type HeavySize } from './largest-application.ts';
import { ofFields, ofLargeFiles, ofManyComponents, ofMutations } from './largest-refusals.ts';
import { changeOf, type Request, requestsOf, templateRequests } from './largest-requests.ts';
import { createLargestWorld } from './largest-world.ts';
import { endProcesses, startProcess, type TrellisProcess } from './process.ts';
import { mutations, outcomesOf } from './rights.ts';
import { send } from './send.ts';
import { answerTemplates, startStoreServer, storeKey } from './store-server.ts';
import type { World } from './surfaces-world.ts';
import { largeTemplate } from './templates.ts';
import { startTrellis, type Trellis } from './trellis.ts';
import { documentsOf, waysOf } from './walk.ts';

interface Size extends HeavySize {
  heapMiB: number;
  /** How many equal requests are sent at once. */
  atOnce: number;
}

let size: Size;
let trellis: Trellis;
let gateway: TrellisProcess;
let target: { url: string; adminToken: string };
let tokens: Awaited<ReturnType<typeof createCallers>>['tokens'];
const agent = new Agent({ keepAlive: true });

let heavy: Awaited<ReturnType<typeof createHeavy>>;

async function start(secretKey: Buffer): Promise<void> {
  gateway = startProcess({
    DATABASE_URL: trellis.databaseUrl,
    SECRET_KEY: secretKey.toString('hex'),
    NODE_OPTIONS: `--max-old-space-size=${size.heapMiB}`,
    RATE_LIMIT_PER_SECOND: '0',
    MAX_REQUESTS_PER_USER: '64',
    STORE_ALLOW_PRIVATE: 'true',
    // So that changes of all components are made, which take more memory than their refusal.
    LIMIT_CHANGE_OBJECTS: '100000',
  });
  target = { url: await gateway.listening, adminToken: trellis.adminToken };
}

const walkAll = (...of: Parameters<ReturnType<typeof createWalk>>) =>
  createWalk({ gateway, target, agent, atOnce: size.atOnce })(...of);

const heavyWalk = () => {
  it('fails the job of a component that was deployed with more than it can have, and goes on', async () => {
    const { job, components } = await ended(trellis, heavy.job);
    expect(job.status).toBe('failed');
    expect(components[0]!.error).toContain('have more than 1024 KiB');
    expect(gateway.child.exitCode).toBeNull();
  });

  it('answers or refuses what reads or deploys files that are larger than its memory', {
    timeout: 600_000,
  }, async () => {
    const callers = tokens as Record<'viewer' | 'developer', string>;
    expect(await walkAll(requestsOf(heavy, callers), ofLargeFiles)).toEqual([]);
  });
};

const closeAll = () =>
  afterAll(async () => {
    agent.destroy();
    await endProcesses();
    await trellis?.close();
  });

/** The walk through an application with more files than the gateway has memory. */
export function testLargeFiles(given: Size): void {
  size = given;
  beforeAll(async () => {
    const secretKey = randomBytes(32);
    trellis = await startTrellis({ secretKey });
    const place = await trellis.createPlace();
    ({ tokens } = await createCallers(trellis, place.team.teamId));
    heavy = await createHeavy(trellis, place, size);
    await start(secretKey);
  }, 120_000);
  closeAll();
  describe(`a gateway with a heap of ${size.heapMiB} MiB`, () => {
    heavyWalk();

    it('caches fewer parsed documents than one with a large heap', async () => {
      const isCached = async (index: number, length: number) => {
        const query = `query Q${index} { __typename }`.padEnd(length);
        const headers = { 'Trellis-Explain': '1' };
        const { body } = await send(target, { body: JSON.stringify({ query }), headers, agent });
        return body.extensions.explain.isDocumentCached;
      };
      const others = Array.from({ length: 20 }, (_, index) => index + 1);
      expect([await isCached(0, 100), await isCached(0, 100)]).toEqual([false, true]);
      for (const index of others) await isCached(index, 100);
      expect(await isCached(0, 100)).toBe(true);
      for (const index of others) await isCached(index, 10_000);
      expect(await isCached(0, 100)).toBe(false);
    });
  });
}

/** The caller with the least role that may make a change. */
const leastOf = (name: string) => {
  const outcomes = outcomesOf(name);
  return known[outcomes.findIndex((outcome, index) => index > 0 && outcome === 'ok')] ?? 'administrator';
};

const hasDryRun = (name: string): boolean => {
  const [input] = schema.getMutationType()!.getFields()[name]!.args;
  const type = getNamedType(input!.type);
  return isInputObjectType(type) && 'dryRun' in type.getFields();
};

/** What adds one object to an application is no change of all its components; templates have a walk of their own. */
const ofOneObject = /^create|^(?:install|upgrade)Application$/;

/** The mutations whose subject is an application. */
const changesOfApplications = () =>
  mutations.filter((name) => {
    const input = getNamedType(schema.getMutationType()!.getFields()[name]!.args[0]!.type);
    const { application } = isInputObjectType(input) ? input.getFields() : {};
    return application && !ofOneObject.test(name) && String(application.type) === 'ApplicationRef!';
  });

/** The mutations whose inputs could not be made. */
const impossible: string[] = [];

async function* everyMutation(world: World): AsyncGenerator<Request> {
  const { team, regions, appId, componentId, alias } = world;
  await trellis.addPort(componentId, 8080).catch(() => undefined);
  // Room for those that the changes are about.
  const accounts = { name: { startsWith: 'z-copy-0' } };
  await trellis.services.db.transaction((tx) => tx.serviceAccount.deleteMany({ where: accounts }));
  const all = {
    ...{ team, region: regions.main },
    application: { appId, id: encodeGlobalId('Application', appId), name: 'Shop' },
    component: { componentId, id: encodeGlobalId('Component', componentId), alias },
  };
  const changes = await everyChange(trellis, all as never);
  for (const name of mutations) {
    const token = tokens[leastOf(name)] ?? trellis.adminToken;
    const type = `${name[0]!.toUpperCase()}${name.slice(1)}Input!`;
    const query = `mutation ($input: ${type}) { ${name}(input: $input) { __typename ... on Error { code message } } }`;
    const input = await Promise.resolve(changes[name]!.input()).catch((error) => {
      impossible.push(`${name}: ${error.message}`);
      return undefined;
    });
    if (!input) continue;
    if (hasDryRun(name)) {
      const variables = { input: { ...input, dryRun: true } };
      yield { title: `the dry run of ${name}`, query, variables, token };
    }
    yield { title: name, query, variables: { input }, token };
  }
}

/** Installs a template with so many components in an application of its own, and whatever can follow. */
async function* largeTemplates(place: Place, parts: number): AsyncGenerator<Request> {
  const { appId } = await trellis.createApplication(place, 'installed');
  const { appId: crowdedId } = await trellis.createApplication(place, 'installed-at-once');
  const first = largeTemplate(parts, '1.0.0');
  const texts = [first, largeTemplate(parts, '2.0.0', first.key)];
  const entry = {
    appKeyID: first.key,
    name: 'Largest',
    versions: texts.map(({ version }) => ({ appVersion: version })),
  };
  const templates = new Map(texts.map(({ version, text }) => [version, text]));
  const { url, close } = await startStoreServer(
    answerTemplates(new Map([[first.key, { entry, templates }]])),
  );
  const store = { url, domain: url, accessKey: storeKey };
  const groupOf = async () => {
    const query = { by: 'applicationId', keys: [appId] } as const;
    const [group] = await trellis.services.db.componentGroup.findManyByKeys(query);
    return { groupId: group!.id };
  };
  try {
    const of = { appId, crowdedId, store, storeName: url, templateId: first.key };
    yield* templateRequests(of, tokens.developer!, groupOf);
  } finally {
    await close();
  }
}

/**
 * The walk through everything that can be asked or changed, of which one of each kind is as large as it can be.
 * @param parts the number of components of an application, and of a template
 */
export function testLargestOfAll(given: Size, parts: number): void {
  size = given;
  let world: World;
  beforeAll(async () => {
    const secretKey = randomBytes(32);
    world = await createLargestWorld(secretKey, parts);
    trellis = world.trellis;
    ({ tokens } = await createCallers(trellis, world.team.teamId));
    const noQuota = { cpuQuotaMillicores: 0, memoryQuotaMiB: 0 };
    await trellis.services.db.transaction((tx) => tx.teamRegion.updateMany({ data: noQuota }));
    const place = { team: world.team, region: world.regions.main } as Place;
    heavy = await createHeavy(trellis, place, size);
    await start(secretKey);
  }, 300_000);
  closeAll();

  describe(`a gateway with a heap of ${size.heapMiB} MiB`, () => {
    heavyWalk();

    it('answers every field of every type for a viewer', { timeout: 1_800_000 }, async () => {
      const values = await argumentsOf(world);
      const token = world.viewer.token;
      const requests = [...waysOf(schema, values, refused).values()].flatMap((way) =>
        documentsOf(way, values, 1).map(({ query }) => ({ title: way.type.name, query, token })),
      );
      expect(requests.length).toBeGreaterThan(100);
      expect(await walkAll(requests, ofFields)).toEqual([]);
    });

    it('answers every mutation and every dry run for the least role', { timeout: 1_800_000 }, async () => {
      expect(await walkAll(everyMutation(world), ofMutations)).toEqual([]);
      expect(impossible).toEqual([]);
    });

    it('installs, upgrades, takes back and removes a template with as many components as it may have', {
      timeout: 1_800_000,
    }, async () => {
      expect(await walkAll(largeTemplates(heavy.place, parts))).toEqual([]);
    });

    it('reads and changes all components of an application at once', { timeout: 1_800_000 }, async () => {
      const many = await fillApplication(world);
      const { appId } = many.application;
      const { application } = await trellis.data(
        `{ application(by: { appId: ${appId} }) { previews(first: 100) { nodes { key } } } }`,
      );
      // With a preview, it is not deleted.
      for (const { key } of application.previews.nodes)
        await trellis.succeed('closePreview', { application: { appId }, key }, '__typename');
      const callers = tokens as Record<'viewer' | 'developer', string>;
      const requests = [
        ...requestsOf(many, callers),
        changeOf(callers.developer)('deleteApplication', {
          application: { appId },
          force: true,
        }),
      ];
      const walked = new Set(requests.map(({ title }) => title));
      expect(changesOfApplications().filter((name) => !walked.has(name))).toEqual([]);
      expect(await walkAll(requests, ofManyComponents)).toEqual([]);
    });
  });
}
