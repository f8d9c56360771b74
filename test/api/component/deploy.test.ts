import { beforeAll, describe, expect, it } from 'vitest';
import {
  type DeployState,
  deployStates,
  initialDeployState,
  nextDeployState,
  stateNames,
  stateText,
} from '../../../src/domain/component/state-model.ts';
import { createComponents, jobsOf, queued, statesOf, useDriver } from '../../support/deploys.ts';
import { type Place, unique } from '../../support/fixtures.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis({ drivers: [queued] });
let place: Place;
let appId: number;
beforeAll(async () => {
  place = await trellis.createPlace();
  ({ appId } = await trellis.createApplication(place));
});

const mutations = {
  deploy: 'deployComponent',
  start: 'startComponent',
  stop: 'stopComponent',
  restart: 'restartComponent',
  scale: 'scaleComponent',
} as const;
type Action = keyof typeof mutations;
const actions = Object.keys(mutations) as Action[];
const states = Object.keys(deployStates) as DeployState[];
const doneBy = {
  deploy: 'deployed',
  start: 'started',
  stop: 'stopped',
  restart: 'restarted',
  scale: 'scaled',
};

/** A component in the state, which it reached by mutations. */
async function componentIn(state: DeployState, options: object = {}) {
  const deploy = state !== initialDeployState(false);
  const component = await trellis.createComponent(appId, { deploy, ...options });
  if (state === 'closed') await act('stop', component);
  return component;
}

const inputOf = (action: Action, { componentId }: { componentId: string }) => ({
  component: { componentId },
  ...(action === 'scale' && { replicas: 3 }),
});
const selection =
  'job { kind status } component { uid alias deployState: desiredState status: state releaseCount hasUndeployedChanges replicas }';
const act = (action: Action, component: { componentId: string }, options: object = {}) =>
  trellis.attempt(mutations[action], { ...inputOf(action, component), ...options }, selection);

const rowOf = (id: string) =>
  trellis.services.db.transaction((tx) => tx.component.findUniqueOrThrow({ where: { id } }));
const eventsOf = async (uid: string) => {
  const { events } = await trellis.data(
    'query E($uid: String!) { events(first: 100, objectType: "Component", objectUid: $uid) { nodes { action } } }',
    { uid },
  );
  return events.nodes.map((event: { action: string }) => event.action);
};

describe('the deploy states', () => {
  const cases = states.flatMap((state) => actions.map((action) => [action, state] as const));

  it.each(cases)('%s a component that is %s follows the table of states', async (action, state) => {
    const component = await componentIn(state);
    const before = await rowOf(component.componentId);
    const [counts, events] = [await trellis.counts(), await eventsOf(component.componentId)];
    const next = nextDeployState(state, action);
    const result = await act(action, component);
    if (!next) {
      expect(result).toEqual({
        __typename: 'ConflictError',
        code: 'CONFLICT',
        message: `The component ${component.alias} cannot be ${doneBy[action]}, because it ${stateText({ deployState: state })}.`,
      });
      expect(await trellis.counts()).toEqual(counts);
      expect(await rowOf(component.componentId)).toEqual(before);
      return;
    }
    const isCarriedOut = state === 'running' || next === 'running';
    const releaseCount = before.updateVersion + (action === 'deploy' ? 1 : 0);
    expect(result.component).toEqual({
      uid: component.componentId,
      alias: component.alias,
      deployState: stateNames[next],
      status: stateNames[next],
      releaseCount,
      hasUndeployedChanges: false,
      replicas: action === 'scale' ? 3 : 1,
    });
    expect(result.job).toEqual(isCarriedOut ? { kind: action.toUpperCase(), status: 'SUCCEEDED' } : null);
    const after = await rowOf(component.componentId);
    expect(after).toMatchObject({ deployState: next, updateVersion: releaseCount });
    expect(after.generation).toBe(before.generation + (isCarriedOut ? 1 : 0));
    expect(await eventsOf(component.componentId)).toEqual([`component.${action}`, ...events]);
    const [job] = await jobsOf(trellis, appId);
    if (isCarriedOut) {
      expect(job).toMatchObject({
        kind: action,
        // The region of the test is immediate.
        status: 'succeeded',
        components: [
          {
            componentId: component.componentId,
            action: action === 'restart' ? 'restart' : 'apply',
            generation: after.generation,
            status: 'succeeded',
          },
        ],
      });
    }
    expect((await trellis.counts()).job! - counts.job!).toBe(isCarriedOut ? 1 : 0);
  });

  it('are not changed in a region that is not enabled', async () => {
    const other = await trellis.createPlace();
    const application = await trellis.createApplication(other);
    const { componentId } = await trellis.createComponent(application.appId, { deploy: true });
    await trellis.services.db.transaction((tx) =>
      tx.region.update({ where: { id: other.region.regionId }, data: { status: 'maintenance' } }),
    );
    const message = `The region ${other.region.name} is not enabled: its status is maintenance.`;
    for (const action of actions) {
      expect(await act(action, { componentId })).toMatchObject({ code: 'CONFLICT', message });
    }
    for (const name of ['deployApplication', 'startApplication', 'stopApplication', 'restartApplication']) {
      const input = { application: { appId: application.appId } };
      expect(await trellis.attempt(name, input)).toMatchObject({ code: 'CONFLICT', message });
    }
    const input = { component: { componentId }, name: 'x' };
    expect(await trellis.attempt('updateComponent', input)).toMatchObject({ code: 'CONFLICT', message });
  });
});

describe('stopComponent', () => {
  it('names the deployed components that depend on it, unless it is forced', async () => {
    const [db, api, web, old] = ['db', 'api', 'web', 'old'].map(unique) as [string, string, string, string];
    const ids = await createComponents(trellis, appId, { [db]: { deploy: true } });
    const dependencies = [{ componentId: ids[db] }];
    Object.assign(
      ids,
      await createComponents(trellis, appId, {
        [web]: { deploy: true, dependencies },
        [api]: { deploy: true, dependencies },
        [old]: { dependencies },
      }),
    );
    const component = { componentId: ids[db]! };
    const conflict = {
      code: 'CONFLICT',
      message: `Deployed components depend on the component ${db}: ${[api, web].join(', ')}. Stop them first, or set \`force\` to stop anyway.`,
    };
    expect(await act('stop', component)).toMatchObject(conflict);
    expect(await act('stop', component, { dryRun: true })).toMatchObject(conflict);
    expect((await act('stop', component, { force: true })).component.deployState).toBe('STOPPED');
    await act('start', component);
    for (const name of [web, api]) await act('stop', { componentId: ids[name]! });
    expect((await act('stop', component)).component.deployState).toBe('STOPPED');
  });
});

describe('a dry run', () => {
  it.each([
    ['deploy', 'undeploy'],
    ['stop', 'running'],
  ] as const)('of %s returns the plan, and changes nothing', async (action, state) => {
    const component = await componentIn(state);
    const before = await rowOf(component.componentId);
    const counts = await trellis.counts();
    const input = inputOf(action, component);
    const plan =
      'job { kind } component { deployState: desiredState } plan { action objectType objectUid name }';
    const dry = await trellis.succeed(mutations[action], { ...input, dryRun: true }, plan);
    expect(dry.job).toBeNull();
    expect(dry.component.deployState).toBe(stateNames[state]);
    expect(await trellis.counts()).toEqual(counts);
    expect(await rowOf(component.componentId)).toEqual(before);
    const real = await trellis.succeed(mutations[action], input, plan);
    expect(real.plan).toEqual([
      {
        action: `component.${action}`,
        objectType: 'Component',
        objectUid: component.componentId,
        name: component.alias,
      },
    ]);
    expect(dry.plan).toEqual(real.plan);
  });
});

describe('two changes at once', () => {
  it('deploy a component twice', async () => {
    const component = await componentIn('undeploy');
    const results = await Promise.all([act('deploy', component), act('deploy', component)]);
    expect(results.map((each) => each.component.releaseCount).sort()).toEqual([1, 2]);
    expect(await rowOf(component.componentId)).toMatchObject({ updateVersion: 2, generation: 2 });
  });

  it('stop and start it, or one of them finds a state that does not allow it', async () => {
    for (const state of ['running', 'closed'] as const) {
      const component = await componentIn(state);
      const { generation } = await rowOf(component.componentId);
      const results = await Promise.all([act('stop', component), act('start', component)]);
      const done = results.filter((each) => each.component);
      expect(results.filter((each) => !each.component).map((each) => each.code)).toEqual(
        Array(2 - done.length).fill('CONFLICT'),
      );
      expect(done.length).toBeGreaterThan(0);
      const row = await rowOf(component.componentId);
      expect(row.generation).toBe(generation + done.length);
      const isBack = done.length === 2;
      expect(row.deployState).toBe(isBack ? state : state === 'running' ? 'closed' : 'running');
    }
  });

  it('scale it in two ways', async () => {
    const component = await componentIn('running');
    const scale = (size: object) =>
      trellis.attempt('scaleComponent', { component: { componentId: component.componentId }, ...size });
    await Promise.all([scale({ replicas: 4 }), scale({ memoryMiB: 64 }), scale({ cpuMillicores: 7 })]);
    expect(await rowOf(component.componentId)).toMatchObject({
      replicas: 4,
      memoryMiB: 64,
      cpuMillicores: 7,
      generation: 4,
    });
  });
});

describe('scaleComponent', () => {
  it('changes nothing, and records nothing, where nothing differs', async () => {
    const component = await componentIn('running', { replicas: 3 });
    const before = await rowOf(component.componentId);
    const counts = await trellis.counts();
    expect((await act('scale', component)).component.replicas).toBe(3);
    const nothing = { component: { componentId: component.componentId } };
    await trellis.succeed('scaleComponent', nothing, selection);
    expect(await trellis.counts()).toEqual(counts);
    expect(await rowOf(component.componentId)).toEqual(before);
  });
});

describe('a quota', () => {
  it('is not exceeded by deploying, starting, scaling or updating, and nothing changes', async () => {
    const own = await trellis.createPlace();
    const application = await trellis.createApplication(own);
    const size = { cpuMillicores: 400, memoryMiB: 1 };
    const ids = await createComponents(trellis, application.appId, {
      [unique('running')]: { ...size, deploy: true },
      [unique('closed')]: { ...size, deploy: true },
      [unique('undeploy')]: { ...size, replicas: 2 },
    });
    const [running, closed, undeploy] = Object.values(ids).map((componentId) => ({ componentId }));
    await act('stop', closed!);
    const where = { team: { teamId: own.team.teamId }, region: { regionId: own.region.regionId } };
    await trellis.succeed('setTeamQuota', { ...where, cpuQuotaMillicores: 700 }, 'resources { __typename }');
    const [counts, before] = [await trellis.counts(), await statesOf(trellis, application.appId)];
    const tries: [string, object, number][] = [
      ['deployComponent', { component: undeploy }, 800],
      ['deployComponent', { component: undeploy, dryRun: true }, 800],
      ['startComponent', { component: closed }, 400],
      ['scaleComponent', { component: running, replicas: 2 }, 400],
      ['updateComponent', { component: running, cpuMillicores: 701 }, 301],
      ['updateComponent', { component: undeploy, replicas: 1, deploy: true }, 400],
      ['deployApplication', { application: { appId: application.appId } }, 800],
      ['deployApplication', { application: { appId: application.appId }, startStopped: true }, 1200],
      ['startApplication', { application: { appId: application.appId } }, 400],
    ];
    for (const [name, input, requested] of tries) {
      expect(await trellis.attempt(name, input), name).toEqual({
        __typename: 'QuotaExceededError',
        code: 'QUOTA_EXCEEDED',
        message: `The team ${own.team.name} has 300 millicores of its CPU quota left in the region ${own.region.name}. The change needs ${requested} more.`,
      });
      expect(await trellis.counts()).toEqual(counts);
      expect(await statesOf(trellis, application.appId)).toEqual(before);
    }
    // What requests no more is possible.
    await act('deploy', running!);
    await act('restart', running!);
    await trellis.succeed(
      'scaleComponent',
      { component: running, cpuMillicores: 700 },
      'component { cpuMillicores }',
    );
    await trellis.succeed('scaleComponent', { component: undeploy, replicas: 9 }, 'component { replicas }');
  });
});

describe('what a component was deployed with', () => {
  const specOf = async (id: string) => {
    const row = await trellis.services.db.transaction((tx) => tx.deployment.findUnique({ where: { id } }));
    return row && JSON.parse(trellis.services.seal.open(row.sealedSpec));
  };

  it('is kept for regions that carry out jobs, until the next deploy', async () => {
    const own = await trellis.createPlace();
    const application = await trellis.createApplication(own);
    await useDriver(trellis, own.region.regionId, 'queued');
    const needed = await trellis.createComponent(application.appId, {});
    const component = await trellis.createComponent(application.appId, {
      deploy: true,
      command: 'run',
      variables: [
        { name: 'LEVEL', value: 'info' },
        { name: 'PASSWORD', value: 'hunter2' },
      ],
      volumes: [{ name: 'file', path: '/etc/file', type: 'config-file', fileContent: 'one' }],
      dependencies: [{ componentId: needed.componentId }],
    });
    const spec = {
      image: 'nginx:1.29',
      version: '1.29',
      command: 'run',
      extendMethod: 'stateless',
      replicas: 1,
      minReplicas: null,
      maxReplicas: null,
      targetCpuPercent: null,
      targetMemoryPercent: null,
      cpuMillicores: 500,
      memoryMiB: 512,
      startupProbe: null,
      readinessProbe: null,
      livenessProbe: null,
      placement: null,
      checksPorts: true,
      preStopSeconds: 5,
      terminationGracePeriodSeconds: 30,
      deployDeadlineSeconds: 86_400,
      needsRoot: false,
      gpuMemoryMiB: 0,
      variables: [
        {
          name: 'LEVEL',
          label: 'LEVEL',
          isChangeable: true,
          portNumber: null,
          value: 'info',
          isSecret: false,
          scope: 'environment',
        },
        {
          name: 'PASSWORD',
          label: 'PASSWORD',
          isChangeable: true,
          portNumber: null,
          value: 'hunter2',
          isSecret: true,
          scope: 'environment',
        },
      ],
      volumes: [
        {
          name: 'file',
          path: '/etc/file',
          type: 'config-file',
          fileContent: 'one',
          capacityGiB: null,
          accessMode: null,
          sharePolicy: null,
        },
      ],
      dependencies: [needed.componentId],
    };
    expect(await specOf(component.componentId)).toEqual(spec);
    expect(await specOf(needed.componentId)).toBeNull();
    const update = { component: { componentId: component.componentId }, image: 'nginx:2', replicas: 5 };
    const updated = await trellis.succeed('updateComponent', update, selection);
    expect(updated.component.hasUndeployedChanges).toBe(true);
    await act('restart', component);
    await act('stop', component);
    await act('start', component);
    expect(await specOf(component.componentId)).toEqual(spec);
    await act('scale', component, { memoryMiB: 64 });
    expect(await specOf(component.componentId)).toEqual({ ...spec, replicas: 3, memoryMiB: 64 });
    const deployed = await act('deploy', component);
    expect(deployed.component).toMatchObject({ hasUndeployedChanges: false, releaseCount: 2 });
    expect(await specOf(component.componentId)).toMatchObject({
      image: 'nginx:2',
      version: '2',
      replicas: 3,
    });
    const jobs = await jobsOf(trellis, application.appId);
    expect(jobs.map(({ kind }) => kind)).toEqual(['deploy', 'scale', 'start', 'stop', 'restart', 'deploy']);
    expect(jobs.map(({ components }) => components[0]!.generation)).toEqual([6, 5, 4, 3, 2, 1]);
    expect(jobs[0]!.status).toBe('pending');
  });

  it('is what it is now, where the region came to carry out jobs later', async () => {
    const own = await trellis.createPlace();
    const application = await trellis.createApplication(own);
    const component = await trellis.createComponent(application.appId, { deploy: true });
    expect(await specOf(component.componentId)).toBeNull();
    await useDriver(trellis, own.region.regionId, 'queued');
    await act('scale', component);
    expect(await specOf(component.componentId)).toMatchObject({ image: 'nginx:1.29', replicas: 3 });
  });
});
