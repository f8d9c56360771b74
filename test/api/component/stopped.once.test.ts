import { beforeAll, expect, it } from 'vitest';
import { call, createHook } from '../../support/deploy-hooks.ts';
import { createComponents, jobsOf, queued, useDriver } from '../../support/deploys.ts';
import { type Place, unique } from '../../support/fixtures.ts';
import { tryApply } from '../../support/manifests.ts';
import { ref } from '../../support/releases.ts';
import { useTrellis } from '../../support/trellis.ts';
import { type Edit, upgradesOf } from '../../support/upgrades.ts';

const trellis = useTrellis({ drivers: [queued] });
let place: Place;
beforeAll(async () => {
  place = await trellis.createPlace();
  await useDriver(trellis, place.region.regionId, 'queued');
});

/** The states that a component can be told to be in. */
const states = ['undeploy', 'running', 'closed'] as const;
type State = (typeof states)[number];

interface Scene {
  appId: number;
  application: string;
  /** The name of the component in each state, and its id. */
  names: Record<State, string>;
  ids: Record<State, string>;
  deployedAt: string;
  /** Of an installed template. */
  group?: { groupId: number; upgrade: object };
}

const stop = (componentId: string) =>
  trellis.succeed('stopComponent', { ...ref(componentId), force: true }, '__typename');

/** An application with a component in each state. */
async function scene(): Promise<Scene> {
  const { appId, name: application } = await trellis.createApplication(place);
  const names = Object.fromEntries(states.map((state) => [state, unique(state)])) as Record<State, string>;
  const made = await createComponents(trellis, appId, {
    [names.undeploy]: { opensWebhooks: true },
    [names.running]: { opensWebhooks: true, deploy: true },
    [names.closed]: { opensWebhooks: true, deploy: true },
  });
  const ids = Object.fromEntries(states.map((state) => [state, made[names[state]]])) as Record<State, string>;
  const deployedAt = new Date().toISOString();
  await stop(ids.closed);
  return { appId, application, names, ids, deployedAt };
}

/** An installed template with a component in each state, all of which another version changes. */
async function installedScene({ isUpgraded }: { isUpgraded: boolean }): Promise<Scene> {
  const apart: Edit = (app) => {
    app.dep_service_map_list = [];
  };
  const made = await upgradesOf(trellis).installed(3, [apart, apart], undefined, { deploy: false });
  const { appId, key, groupId } = made;
  await useDriver(trellis, made.place.region.regionId, 'queued');
  const pairs = (field: string) =>
    Object.fromEntries(states.map((state, index) => [state, made.components[index][field]]));
  const [names, ids] = [pairs('name'), pairs('uid')] as [Scene['names'], Scene['ids']];
  for (const state of ['running', 'closed'] as const) {
    await trellis.succeed('deployComponent', ref(ids[state]), '__typename');
  }
  await stop(ids.closed);
  const upgrades = [{ storeName: 'self', templateId: key, version: '2.0.0' }];
  const upgrade = { application: { appId }, upgrades };
  if (isUpgraded) await trellis.succeed('upgradeApplication', upgrade, '__typename');
  return { appId, application: '', names, ids, deployedAt: '', group: { groupId, upgrade } };
}

const scenes: { [change: string]: () => Promise<Scene> } = {
  upgradeApplication: () => installedScene({ isUpgraded: false }),
  rollbackUpgrade: () => installedScene({ isUpgraded: true }),
};

interface Options {
  startStopped?: boolean;
  dryRun?: boolean;
}

/** Makes a change, and returns the names of the components that it says to leave stopped. */
type Change = (given: Scene, options: Options) => Promise<string[]>;

const leftStopped = 'plan { leftStopped }';

/** The same for each component that can be named. */
const onEach =
  (
    named: readonly State[],
    change: (given: Scene, state: State, options: Options) => Promise<string[]>,
  ): Change =>
  async (given, options) => {
    const left = [];
    for (const state of named) left.push(...(await change(given, state, options)));
    return left;
  };

const applied =
  (deploy: 'ALL' | 'CHANGED' | 'NONE'): Change =>
  async ({ application, names }, options) => {
    const components = Object.fromEntries(states.map((state) => [names[state], { image: 'nginx:1.30' }]));
    const document = JSON.stringify({ application, components });
    return (await tryApply(trellis, place, document, { deploy, ...options })).plan.leftStopped;
  };

const update = (componentId: string) =>
  trellis.succeed('updateComponent', { ...ref(componentId), image: 'nginx:1.30' }, '__typename');

const changes: { [name: string]: Change } = {
  deployApplication: async ({ appId }, options) => {
    const input = { application: { appId }, ...options };
    return (await trellis.succeed('deployApplication', input, 'leftStopped')).leftStopped;
  },
  'applyManifest of all': applied('ALL'),
  'applyManifest of what changes': applied('CHANGED'),
  'applyManifest of nothing': applied('NONE'),
  rollbackApplication: async ({ appId, ids, deployedAt }, options) => {
    for (const state of states) await update(ids[state]);
    const input = { application: { appId }, at: deployedAt, ...options };
    return (await trellis.succeed('rollbackApplication', input, leftStopped)).plan.leftStopped;
  },
  rollbackComponent: onEach(['running', 'closed'], async ({ ids }, state, options) => {
    const input = { ...ref(ids[state]), release: 1, ...options };
    return (await trellis.succeed('rollbackComponent', input, leftStopped)).plan.leftStopped;
  }),
  upgradeApplication: async ({ group }, options) => {
    const input = { ...group!.upgrade, ...options };
    const { outcomes } = await trellis.succeed('upgradeApplication', input, 'outcomes { leftStopped }');
    return outcomes.flatMap((outcome: { leftStopped: string[] }) => outcome.leftStopped);
  },
  rollbackUpgrade: async ({ group }, options) => {
    const input = { group: { groupId: group!.groupId }, ...options };
    return (await trellis.succeed('rollbackUpgrade', input, 'outcome { leftStopped }')).outcome.leftStopped;
  },
  promoteRelease: onEach(states, async ({ appId, names }, state, options) => {
    const from = await trellis.createApplication(place);
    const alias = unique('source');
    const source = { name: names[state], image: 'nginx:1.30', deploy: true };
    const { [alias]: componentId } = await createComponents(trellis, from.appId, { [alias]: source });
    const release = { at: { component: { componentId }, number: 1 } };
    const input = { release, to: { appId }, ...options };
    return (await trellis.succeed('promoteRelease', input, leftStopped)).plan.leftStopped;
  }),
  'a deploy hook': onEach(states, async ({ ids, names }, state, { startStopped, dryRun }) => {
    const hook = await createHook(trellis, { componentId: ids[state] });
    if (dryRun) return state === 'closed' && !startStopped ? [names.closed] : [];
    const { status, body } = await call(trellis, hook, { tag: '1.30', startStopped });
    expect(body.image).toBe('nginx:1.30');
    if (status === 202) return [];
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { job: null, outcome: 'UNCHANGED', reason: expect.stringContaining(names[state]) },
    });
    return [names[state]];
  }),
  deployComponent: onEach(states, async ({ ids }, state, { dryRun }) => {
    await trellis.succeed('deployComponent', { ...ref(ids[state]), dryRun }, '__typename');
    return [];
  }),
};

/** What each deploys of the components in the three states, and of the stopped one if it is asked to start it. */
it.each([
  ['deployApplication', ['undeploy', 'running'], true],
  ['applyManifest of all', ['undeploy', 'running'], true],
  ['applyManifest of what changes', ['running'], true],
  ['applyManifest of nothing', [], false],
  ['rollbackApplication', ['running'], true],
  ['rollbackComponent', ['running'], true],
  ['upgradeApplication', ['running'], true],
  ['rollbackUpgrade', ['running'], true],
  ['promoteRelease', ['undeploy', 'running'], true],
  ['a deploy hook', ['undeploy', 'running'], true],
  // Nothing else can be meant.
  ['deployComponent', ['undeploy', 'running', 'closed'], false],
] as [string, State[], boolean][])(
  '%s deploys %j, and what is stopped if asked: %s',
  async (name, expected, canStart) => {
    for (const startStopped of canStart ? [false, true] : [false]) {
      const given = await (scenes[name] ?? scene)();
      const options = canStart ? { startStopped } : {};
      const planned = await changes[name]!(given, { ...options, dryRun: true });
      const before = (await jobsOf(trellis, given.appId)).length;
      const left = await changes[name]!(given, options);
      expect(left).toEqual(planned);
      expect(left).toEqual(canStart && !startStopped ? [given.names.closed] : []);
      const jobs = (await jobsOf(trellis, given.appId)).slice(0, -before);
      const deployed = jobs.flatMap(({ components }) =>
        components.filter(({ state }) => state === 'running').map(({ componentName }) => componentName),
      );
      const wanted = startStopped ? [...expected, 'closed' as const] : expected;
      expect(deployed.sort()).toEqual(wanted.map((state) => given.names[state]).sort());
      const after = await desiredStates(given.appId);
      expect(after[given.names.closed]).toBe(wanted.includes('closed') ? 'RUNNING' : 'STOPPED');
    }
  },
);

async function desiredStates(appId: number) {
  const { application } = await trellis.data(
    'query ($by: ApplicationRef!) { application(by: $by) { components(first: 10) { nodes { name desiredState } } } }',
    { by: { appId } },
  );
  const nodes = application.components.nodes as { name: string; desiredState: string }[];
  return Object.fromEntries(nodes.map((node) => [node.name, node.desiredState]));
}
