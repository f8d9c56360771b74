import { describe, expect, it } from 'vitest';
import { createClusterPlace, deploy, jobsOf, patience } from '../../../support/kubernetes/place.ts';
import { useClusterWorld } from '../../../support/kubernetes/world.ts';

const { trellis, server } = useClusterWorld(
  { jobs: {}, runs: {}, rollouts: { eventsAfterMs: 0, eventsForMs: 0, failingMs: 100 } },
  { secondMs: 20 },
);

const start = async (input: object) => {
  const place = await createClusterPlace(trellis, server);
  const [{ componentId, alias }] = (await deploy(trellis, place, [input], null)) as [any];
  const by = { componentId };
  const read = async (selection: string) =>
    (await trellis.data(`query($by: ComponentRef!) { component(by: $by) { ${selection} } }`, { by }))
      .component;
  const job = async () => (await jobsOf(trellis, place))[0]!;
  const problem = async () => (await read('problem { message }')).problem?.message ?? null;
  const reason = async () => (await read('instances { reason }')).instances[0]?.reason ?? null;
  const change = (mutation: string, given: object = {}) =>
    trellis.succeed(mutation, { component: by, ...given }, '__typename');
  const jobEnds = (status: string) => expect.poll(async () => (await job()).status, patience).toBe(status);
  return { place, componentId, alias, read, job, problem, reason, change, jobEnds };
};
type Started = Awaited<ReturnType<typeof start>>;

describe('a component whose check fails', () => {
  const text = 'Not ready: the readiness check of port 3000 failed: connection refused';

  it.each(['STATELESS', 'STATE'])('says which and how, in a component of kind %s', async (extendMethod) => {
    const { job, alias, problem, reason, read } = await start({
      image: 'web:deaf',
      extendMethod,
      probes: { readiness: { tcp: { port: 3000 } } },
    });
    await expect.poll(async () => (await job()).error, patience).toBe(`${alias}: ${text}`);
    expect((await job()).status).toBe('RUNNING');
    expect([await problem(), await reason()]).toEqual([text, text]);
    expect((await read('state')).state).toBe('STARTING');
  });

  it('says so of an instance that was ready and whose check ends it', async () => {
    const liveness = { tcp: { port: 3000 }, periodSeconds: 1, failureThreshold: 1 };
    const { reason, problem, job, jobEnds } = await start({ image: 'web:hung', probes: { liveness } });
    const check = 'the liveness check of port 3000 failed: connection refused';
    await expect.poll(reason, patience).toContain(check);
    await jobEnds('FAILED');
    expect((await job()).error).toContain(check);
    await expect.poll(problem, patience).toContain(check);
  });
});

describe('an image that cannot be pulled', () => {
  it('is waited for while the registry does not answer', async () => {
    const { jobEnds, job, problem } = await start({ image: 'web:away' });
    await expect.poll(problem, patience).toContain('connection refused');
    await jobEnds('SUCCEEDED');
    expect((await job()).error).toBeNull();
  });

  it('fails with the answer of the registry, also when it is deployed again', async () => {
    const { jobEnds, job, problem, reason, change, place } = await start({ image: 'web:private' });
    await jobEnds('FAILED');
    expect((await job()).error).toContain('401 Unauthorized');
    await change('deployComponent');
    expect((await jobsOf(trellis, place)).length).toBe(2);
    await jobEnds('FAILED');
    for (const said of [(await job()).error, await problem(), await reason()]) {
      expect(said).toContain('401 Unauthorized');
    }
  });
});

describe('a program that does not exist', () => {
  it('is named as the node says it, of a component and of a run', async () => {
    const sentence = 'exec: "/bin/none": stat /bin/none: no such file or directory';
    const { problem, jobEnds }: Started = await start({ image: 'web:nocommand' });
    await jobEnds('FAILED');
    expect(await problem()).toContain(sentence);
    const other = await start({ image: 'web:1' });
    await other.jobEnds('SUCCEEDED');
    const { run } = await trellis.succeed(
      'runComponent',
      { component: { componentId: other.componentId }, command: ['/bin/none'] },
      'run { uid }',
    );
    const read = async () =>
      (
        await trellis.data('query($by: RunRef!) { run(by: $by) { status exitCode reason } }', {
          by: { runId: run.uid },
        })
      ).run;
    await expect.poll(async () => (await read()).status, patience).toBe('FAILED');
    expect(await read()).toMatchObject({ exitCode: 128, reason: expect.stringContaining(`StartError: `) });
    expect((await read()).reason).toContain(sentence);
  });
});
