import { beforeAll, describe, expect, it } from 'vitest';
import { createSimulatedRegion } from '../../../src/drivers/region/simulated/simulated.ts';
import type { Place } from '../../support/fixtures.ts';
import { ended } from '../../support/jobs.ts';
import { driverOf, failing, hanging } from '../../support/region-drivers.ts';
import { useTrellis } from '../../support/trellis.ts';

/** A cluster that says more than the work does. */
const talking = driverOf({
  name: 'talking',
  observe: async (components) => new Map(components.map(({ id }) => [id, 'some_abnormal'])),
  explain: async (components) =>
    new Map(components.map(({ id }) => [id, 'OOMKilled: out of memory (exit code 137)'])),
});

const image = { good: 'nginx:1.29', bad: 'nginx:crash' } as const;

const trellis = useTrellis({
  drivers: [createSimulatedRegion({ delayMs: 0 }), failing, hanging, talking],
  jobs: {},
});
/** With an application in every status. No test changes it. */
let shared: Place;
/** For applications of single tests. */
let spare: Place;
beforeAll(async () => {
  shared = await createStatuses();
  spare = await createSimulatedPlace();
});

async function createSimulatedPlace(): Promise<Place> {
  const team = await trellis.createTeam();
  const region = await trellis.createRegion({ driver: 'SIMULATED' });
  const open = { team: { teamId: team.teamId }, region: { regionId: region.regionId } };
  await trellis.succeed('openTeamRegion', open, '__typename');
  return { team, region };
}

type State = 'good' | 'bad' | 'closed' | 'undeploy';

/** An application with components in these states. */
async function createApp(place: Place, name: string, states: readonly State[]) {
  const application = await trellis.createApplication(place, name);
  const components = [];
  for (const state of states) {
    const options = { name: state, image: state === 'bad' ? image.bad : image.good };
    const component = await trellis.createComponent(application.appId, options);
    components.push(component);
    const ref = { component: { componentId: component.componentId } };
    if (state === 'undeploy') continue;
    await carryOut('deployComponent', ref);
    if (state === 'closed') await carryOut('stopComponent', ref);
  }
  return { ...application, components };
}

async function carryOut(mutation: string, input: object) {
  const { job } = await trellis.succeed(mutation, input, 'job { uid }');
  await ended(trellis, { id: job.uid });
  return job.uid as number;
}

const statuses = {
  EMPTY: [],
  NOT_DEPLOYED: ['undeploy'],
  PARTLY_RUNNING: ['good', 'closed'],
  PARTLY_UNHEALTHY: ['good', 'bad'],
  RUNNING: ['good', 'good'],
  STOPPED: ['closed', 'undeploy'],
  UNHEALTHY: ['bad', 'closed', 'undeploy'],
} as const satisfies Record<string, readonly State[]>;

async function createStatuses(): Promise<Place> {
  const place = await createSimulatedPlace();
  for (const [name, states] of Object.entries(statuses)) await createApp(place, name, states);
  return place;
}

const statusOf = async (appId: number, token?: string) => {
  const { application } = await trellis.data(
    `{ application(by: { appId: ${appId} }) { status: state } }`,
    {},
    token,
  );
  return application.status as string;
};

const problemOf = async (componentId: string) => {
  const { component } = await trellis.data(
    `{ component(by: { componentId: "${componentId}" }) { status: state problem { message job { uid status } } } }`,
  );
  return component as { status: string; problem: { message: string; job: any } | null };
};

describe('the status of an application', () => {
  it('counts components that are not healthy before what they were told to do', async () => {
    const { team } = await trellis.data(
      `{ team(by: { teamId: "${shared.team.teamId}" }) { applications(orderBy: { field: NAME }) { nodes { name status: state } } } }`,
    );
    expect(team.applications.nodes).toEqual(Object.keys(statuses).map((name) => ({ name, status: name })));
  });

  it('is healthy again when the component is', async () => {
    const { appId, components } = await createApp(spare, 'recovers', ['bad']);
    expect(await statusOf(appId)).toBe('UNHEALTHY');
    const component = { componentId: components[0]!.componentId };
    await carryOut('updateComponent', { component, image: image.good, deploy: true });
    expect(await statusOf(appId)).toBe('RUNNING');
  });

  it('follows the components that the caller may see', async () => {
    const { appId, components } = await createApp(spare, 'partly', ['good', 'bad']);
    const tokenFor = async (index: number) => {
      const component = { componentId: components[index]!.componentId };
      const grants = [{ actions: ['READ'], component }];
      return (await trellis.succeed('createAccessToken', { name: 'one', grants }, 'secret')).secret as string;
    };
    const [good, bad] = [await tokenFor(0), await tokenFor(1)];
    expect([await statusOf(appId, good), await statusOf(appId, bad)]).toEqual(['RUNNING', 'UNHEALTHY']);
    const problems = async (token: string) => {
      const team = `team(by: { teamId: "${spare.team.teamId}" })`;
      const query = `{ ${team} { applications(hasProblems: true) { totalCount nodes { name } } } }`;
      return (await trellis.data(query, {}, token)).team.applications.totalCount;
    };
    expect([await problems(good), await problems(bad)]).toEqual([0, 1]);
  });

  it('follows from deploy states and failed work if the cluster does not respond', async () => {
    for (const driver of ['failing', 'hanging']) {
      const place = await createSimulatedPlace();
      const good = await createApp(place, 'good', ['good', 'closed']);
      const bad = await createApp(place, 'bad', ['good', 'bad']);
      await trellis.services.db.transaction((tx) =>
        tx.region.update({ where: { id: place.region.regionId }, data: { driver } }),
      );
      expect(await statusOf(good.appId), driver).toBe('PARTLY_RUNNING');
      expect(await statusOf(bad.appId), driver).toBe('PARTLY_UNHEALTHY');
      const { team } = await trellis.data(
        `{ team(by: { teamId: "${place.team.teamId}" }) { applications(hasProblems: true) { nodes { name } } } }`,
      );
      expect(team.applications.nodes).toEqual([{ name: 'bad' }]);
    }
    const logged = trellis.logged.filter(({ msg }) => msg === 'region driver failed');
    expect(logged.length).toBeGreaterThan(0);
  });
});

describe('the filters of applications', () => {
  const names = async (list: string) => {
    const { found } = await trellis.data(list.replace('LIST', 'totalCount nodes { name status: state }'));
    const { applications } = found.applications ? found : { applications: found };
    expect(applications.totalCount).toBe(applications.nodes.length);
    return applications.nodes as { name: string; status: string }[];
  };

  it('find what has the status', async () => {
    const lists = [
      (args: string) =>
        `{ found: team(by: { teamId: "${shared.team.teamId}" }) { applications(${args}) { LIST } } }`,
      (args: string) =>
        `{ found: region(by: { regionId: "${shared.region.regionId}" }) { applications(${args}) { LIST } } }`,
    ];
    const of = (...expected: string[]) => expected.map((name) => ({ name, status: name }));
    for (const list of lists) {
      for (const status of Object.keys(statuses))
        expect(await names(list(`state: ${status}`)), status).toEqual(of(status));
      expect(await names(list('hasProblems: true'))).toEqual(of('PARTLY_UNHEALTHY', 'UNHEALTHY'));
      expect(await names(list('hasProblems: false'))).toEqual(
        of('EMPTY', 'NOT_DEPLOYED', 'PARTLY_RUNNING', 'RUNNING', 'STOPPED'),
      );
      expect(await names(list('hasProblems: true, state: RUNNING'))).toEqual([]);
      expect(await names(list('hasProblems: true, search: "partly"'))).toEqual(of('PARTLY_UNHEALTHY'));
    }
    const region = `region: { regionId: "${shared.region.regionId}" }`;
    expect(await names(lists[0]!(`hasProblems: true, ${region}`))).toEqual(
      of('PARTLY_UNHEALTHY', 'UNHEALTHY'),
    );
  });

  it('find what has problems in all teams of the caller, and in no other', async () => {
    const other = await createSimulatedPlace();
    await createApp(other, 'elsewhere', ['bad']);
    const member = await trellis.createMember(other.team.teamId, 'VIEWER');
    const query = '{ applications(hasProblems: true) { totalCount nodes { name } } }';
    expect((await trellis.data(query, {}, member.token)).applications).toEqual({
      totalCount: 1,
      nodes: [{ name: 'elsewhere' }],
    });
    const { applications } = await trellis.data(query);
    const found = applications.nodes.map(({ name }: { name: string }) => name);
    expect(found).toEqual(expect.arrayContaining(['UNHEALTHY', 'PARTLY_UNHEALTHY', 'elsewhere']));
  });

  it('page through what they find', async () => {
    const query = `query P($after: String) { team(by: { teamId: "${shared.team.teamId}" }) {
      applications(hasProblems: false, first: 2, after: $after, orderBy: { field: NAME }) {
        nodes { name } pageInfo { hasNextPage endCursor } } } }`;
    const paged: string[] = [];
    for (let after: string | null = null; ; ) {
      const { applications }: any = (await trellis.data(query, { after })).team;
      paged.push(...applications.nodes.map(({ name }: { name: string }) => name));
      if (!applications.pageInfo.hasNextPage) break;
      after = applications.pageInfo.endCursor;
    }
    expect(paged).toEqual(['EMPTY', 'NOT_DEPLOYED', 'PARTLY_RUNNING', 'RUNNING', 'STOPPED']);
  });
});

describe('the problem of a component', () => {
  it('is the error of the job that failed', async () => {
    const { components } = await createApp(spare, 'fails', ['bad', 'good']);
    const [bad, good] = components.map(({ componentId }) => componentId);
    expect(await problemOf(bad!)).toEqual({
      status: 'UNHEALTHY',
      problem: {
        message: 'The image nginx:crash crashes when it starts.',
        job: { uid: expect.any(Number), status: 'FAILED' },
      },
    });
    expect(await problemOf(good!)).toEqual({ status: 'RUNNING', problem: null });
    await carryOut('updateComponent', {
      component: { componentId: bad },
      image: image.good,
      deploy: true,
    });
    expect(await problemOf(bad!)).toEqual({ status: 'RUNNING', problem: null });
  });

  it('is what the cluster says, although no job failed', async () => {
    const place = await trellis.createPlace();
    await trellis.services.db.transaction((tx) =>
      tx.region.update({ where: { id: place.region.regionId }, data: { driver: 'talking' } }),
    );
    const { appId, components } = await createApp(place, 'talks', ['good']);
    expect(await problemOf(components[0]!.componentId)).toEqual({
      status: 'PARTLY_UNHEALTHY',
      problem: { message: 'OOMKilled: out of memory (exit code 137)', job: null },
    });
    expect(await statusOf(appId)).toBe('PARTLY_UNHEALTHY');
  });

  it('is the error of the failed job if the cluster does not respond', async () => {
    const place = await createSimulatedPlace();
    const { components } = await createApp(place, 'lost', ['bad', 'good']);
    await trellis.services.db.transaction((tx) =>
      tx.region.update({ where: { id: place.region.regionId }, data: { driver: 'failing' } }),
    );
    const problem = async (index: number) => {
      const by = `componentId: "${components[index]!.componentId}"`;
      return (await trellis.data(`{ component(by: { ${by} }) { problem { message } } }`)).component.problem;
    };
    expect(await problem(0)).toEqual({ message: 'The image nginx:crash crashes when it starts.' });
    expect(await problem(1)).toBeNull();
  });
});

describe('the number of statements', () => {
  const statementsOf = async (query: string) => {
    await trellis.data('{ viewer { isAdministrator } }');
    trellis.statements.length = 0;
    const data = await trellis.data(query);
    // Polls of the worker and the record of the use of a token are not the request's.
    const own = trellis.statements.filter(
      (text) => text.startsWith('SELECT') && !text.includes('min(due_at)'),
    );
    return { count: own.length, data };
  };

  it('does not depend on the number of applications and components', async () => {
    const small = await createSimulatedPlace();
    await createApp(small, 'one', ['bad', 'good', 'undeploy']);
    const query = ({ team }: Place, status: string) =>
      `{ team(by: { teamId: "${team.teamId}" }) { applications(orderBy: { field: NAME }) { nodes { name ${status}
        components { nodes { name ${status ? 'status: state problem { message job { uid } }' : ''} } } } }
        ${status && 'troubled: applications(hasProblems: true) { totalCount nodes { name } }'} } }`;
    for (let round = 0; round < 3; round++) {
      const few = await statementsOf(query(small, 'state'));
      const many = await statementsOf(query(shared, 'state'));
      expect(few.data.team.applications.nodes).toHaveLength(1);
      expect(many.data.team.applications.nodes).toHaveLength(7);
      expect(many.count).toBe(few.count);
    }
    expect((await statementsOf(query(shared, ''))).count).toBe(3);
  });

  it('grows by little for the status of applications, with and without the statuses of components', async () => {
    const team = `team(by: { teamId: "${shared.team.teamId}" })`;
    const without = await statementsOf(`{ ${team} { applications { nodes { name } } } }`);
    const withStatus = await statementsOf(`{ ${team} { applications { nodes { name state } } } }`);
    // The deploy states, the regions, the components and the last work on them.
    expect(withStatus.count - without.count).toBe(4);
    const components = 'components { nodes { name status: state } }';
    const tree = await statementsOf(`{ ${team} { applications { nodes { name ${components} } } } }`);
    const both = await statementsOf(`{ ${team} { applications { nodes { name state ${components} } } } }`);
    expect(both.count - tree.count).toBeLessThanOrEqual(3);
  });
});
