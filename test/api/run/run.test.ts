import { describe, expect, it } from 'vitest';
import { createSimulatedRegion } from '../../../src/drivers/region/simulated/simulated.ts';
import { unique } from '../../support/fixtures.ts';
import { eventsOf } from '../../support/own-events.ts';
import { insertRun } from '../../support/runs.ts';
import { subscribe, until } from '../../support/subscribe.ts';
import { useTrellis } from '../../support/trellis.ts';

const patience = { timeout: 90_000, interval: 60 };
const fields = 'uid status exitCode reason command timeoutSeconds startedAt endedAt revision';

const trellis = useTrellis({ drivers: [createSimulatedRegion({ delayMs: 50 })], jobs: {}, runs: {} });

/** A component that was deployed in a simulated region. */
async function deployed(given: object = { deploy: true }) {
  const { teamId } = await trellis.createTeam();
  const region = await trellis.createRegion({ driver: 'SIMULATED' });
  const team = { teamId };
  await trellis.succeed('openTeamRegion', { team, region: { name: region.name } }, '__typename');
  const { appId } = await trellis.createApplication({ team, region } as never, unique('app'));
  const { componentId } = await trellis.createComponent(appId, given);
  return { teamId, appId, component: { componentId } };
}

const start = async (component: object, command: string[], more: object = {}) =>
  (await trellis.succeed('runComponent', { component, command, ...more }, `run { ${fields} }`)).run;

const read = async (uid: string, selection = fields, token = trellis.adminToken) =>
  (await trellis.data(`query($by: RunRef!) { run(by: $by) { ${selection} } }`, { by: { runId: uid } }, token))
    .run;

const over = async (uid: string) => {
  await expect.poll(async () => (await read(uid)).endedAt, patience).not.toBeNull();
  return read(uid);
};

const runsOf = async (component: object, args = 'first: 100') =>
  (
    await trellis.data(
      `query($by: ComponentRef!) { component(by: $by) { runs(${args}) { totalCount nodes { uid status } } } }`,
      { by: component },
    )
  ).component.runs;

describe('a run', () => {
  it('ends with the exit code of its command, and has a log', async () => {
    const { component, teamId } = await deployed();
    const fine = await start(component, ['sh', '-c', 'echo hello; exit 0']);
    expect(fine).toMatchObject({ status: 'PENDING', exitCode: null, timeoutSeconds: 3_600, endedAt: null });
    expect(await over(fine.uid)).toMatchObject({ status: 'SUCCEEDED', exitCode: 0, reason: null });
    const broken = await start(component, ['sh', '-c', 'exit 7'], { timeoutSeconds: 60 });
    expect(await over(broken.uid)).toMatchObject({ status: 'FAILED', exitCode: 7, timeoutSeconds: 60 });
    const { logs, creator } = await read(
      fine.uid,
      'logs { isTruncated lines { text } } creator { __typename }',
    );
    expect(logs.lines.map(({ text }: { text: string }) => text)).toEqual([
      '$ sh -c echo hello; exit 0',
      'hello',
      'exit code 0',
    ]);
    expect(creator).not.toBeNull();
    const { nodes } = await runsOf(component);
    expect(nodes).toEqual([
      { uid: broken.uid, status: 'FAILED' },
      { uid: fine.uid, status: 'SUCCEEDED' },
    ]);
    expect((await runsOf(component, 'first: 5, status: FAILED')).totalCount).toBe(1);
    const [ended] = await eventsOf(trellis, teamId, 'run.failed');
    expect(ended).toMatchObject({ objectUid: broken.uid, changes: { status: 'failed', exitCode: 7 } });
    expect(await eventsOf(trellis, teamId, 'run.succeeded')).toHaveLength(1);
  });

  it('is ended when it takes too long, and when it is cancelled', async () => {
    const { component } = await deployed();
    const slow = await start(component, ['sleep', '600'], { timeoutSeconds: 1 });
    const long = await start(component, ['sleep', '600']);
    await expect.poll(async () => (await read(long.uid)).status, patience).toBe('RUNNING');
    const run = { runId: long.uid };
    const stale = await trellis.attempt('cancelRun', { run, expectedRevision: 99 });
    expect(stale.code).toBe('CONFLICT');
    await trellis.succeed('cancelRun', { run }, '__typename');
    expect(await over(long.uid)).toMatchObject({ status: 'CANCELLED', exitCode: null });
    // Once more changes nothing.
    const again = await trellis.succeed('cancelRun', { run }, 'run { status }');
    expect(again.run.status).toBe('CANCELLED');
    expect(await over(slow.uid)).toMatchObject({ status: 'TIMED_OUT', exitCode: null });
    expect((await trellis.attempt('cancelRun', { run: { runId: slow.uid } })).code).toBe('CONFLICT');
  });

  it('goes on when the clock of the database has been set back', async () => {
    const { component } = await deployed();
    const { uid } = await start(component, ['sleep', '600'], { timeoutSeconds: 1 });
    const lost = { dueAt: new Date(Date.now() + 3_600_000), owner: null };
    const { db } = trellis.services;
    await db.transaction((tx) => tx.componentRun.updateMany({ where: { id: uid }, data: lost }));
    expect(await over(uid)).toMatchObject({ status: 'TIMED_OUT' });
  });

  it('is followed until it has ended, from before its start', async () => {
    const { component } = await deployed();
    const { uid } = await start(component, ['sh', '-c', 'echo one; sleep 1; exit 3']);
    const query =
      'subscription($of: ComponentRef!, $run: RunRef) { componentLogs(component: $of, run: $run) { lines { text } } }';
    const following = await subscribe(trellis, query, { variables: { of: component, run: { runId: uid } } });
    expect(await following.hasBegun).toBe(true);
    const items = await until(following, ({ event }) => event === 'complete');
    const lines = items.flatMap(({ data }) => data?.data?.componentLogs.lines ?? []);
    expect(lines.map(({ text }) => text)).toEqual([
      '$ sh -c echo one; sleep 1; exit 3',
      'one',
      'exit code 3',
    ]);
    const other = await deployed();
    const variables = { of: other.component, run: { runId: uid } };
    const refused = await subscribe(trellis, query, { variables });
    expect(await refused.hasBegun).toBe(false);
  });

  it('keeps the last 100 of a component', async () => {
    const { component } = await deployed();
    const ids = Array.from({ length: 100 }, (_, index) => `${component.componentId}${index}`);
    for (const [index, id] of ids.entries()) {
      await insertRun(trellis, component.componentId, {
        id,
        createdAt: new Date(Date.now() - 100_000 + index),
      });
    }
    const { uid } = await start(component, ['true']);
    await over(uid);
    await expect.poll(async () => (await runsOf(component)).totalCount, patience).toBe(100);
    const left = (await runsOf(component)).nodes.map((each: { uid: string }) => each.uid);
    expect(left[0]).toBe(uid);
    expect(left).not.toContain(ids[0]);
    expect(left).toContain(ids[1]);
  });

  it('needs a component that was deployed, in a region that has a cluster', async () => {
    const fresh = await deployed({});
    const command = ['true'];
    expect(await trellis.attempt('runComponent', { component: fresh.component, command })).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('was never deployed'),
    });
    const place = await trellis.createPlace();
    const { appId } = await trellis.createApplication(place);
    const { componentId } = await trellis.createComponent(appId, { deploy: true });
    expect(await trellis.attempt('runComponent', { component: { componentId }, command })).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('DECLARED'),
    });
    const { component } = await deployed();
    for (const bad of [[], ['  '], ['a\u0000b'], Array.from({ length: 101 }, () => 'a')]) {
      const { code } = await trellis.attempt('runComponent', { component, command: bad });
      expect(code).toBe('INVALID_INPUT');
    }
    for (let count = 0; count < 20; count++) await start(component, ['sleep', '600']);
    expect(await trellis.attempt('runComponent', { component, command })).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('20 runs'),
    });
  });

  it('is seen by viewers, whose log it is not', async () => {
    const { component, teamId } = await deployed();
    const viewer = await trellis.createMember(teamId, 'VIEWER');
    const { uid } = await start(component, ['echo', 'x']);
    expect((await read(uid, 'command', viewer.token)).command).toEqual(['echo', 'x']);
    const result = await trellis.graphql(
      'query($by: RunRef!) { run(by: $by) { logs { lines { text } } } }',
      { by: { runId: uid } },
      viewer.token,
    );
    expect(result).toMatchObject({
      data: { run: { logs: null } },
      errors: [{ extensions: { code: 'FORBIDDEN' } }],
    });
    const input = { component, command: ['true'] };
    expect((await trellis.attempt('runComponent', input, '__typename', viewer.token)).code).toBe('FORBIDDEN');
    const outsider = await trellis.createMember((await trellis.createTeam()).teamId, 'OWNER');
    const hidden = await trellis.graphql(
      'query($by: RunRef!) { run(by: $by) { uid } }',
      { by: { runId: uid } },
      outsider.token,
    );
    expect(hidden.errors![0]!.extensions.code).toBe('NOT_FOUND');
  });

  it('goes with its component', async () => {
    const { component } = await deployed();
    const { uid } = await start(component, ['sleep', '600']);
    await expect.poll(async () => (await read(uid)).status, patience).toBe('RUNNING');
    await trellis.succeed('deleteComponent', { component, force: true }, '__typename');
    const gone = await trellis.graphql('query($by: RunRef!) { run(by: $by) { uid } }', {
      by: { runId: uid },
    });
    expect(gone.errors![0]!.extensions.code).toBe('NOT_FOUND');
  });
});
