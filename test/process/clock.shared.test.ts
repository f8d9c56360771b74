import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { unique } from '../support/fixtures.ts';
import { clientOf } from '../support/gateways.ts';
import { createJobPlace, type JobPlace } from '../support/jobs.ts';
import { endProcesses, startProcess } from '../support/process.ts';
import { send } from '../support/send.ts';
import { startsProcesses } from '../support/starts-processes.ts';
import { type Subscription, subscribe, until } from '../support/subscribe.ts';
import { createMigratedDatabase, type TestDatabase, type Trellis } from '../support/trellis.ts';

startsProcesses();

const token = 'a-token-of-at-least-32-characters';
const burst = 40;
const hourMs = 3_600_000;

describe('a process whose clock goes back an hour', () => {
  let database: TestDatabase;
  let trellis: Trellis;
  let place: JobPlace;
  let person: { token: string };
  let team: { teamId: string };
  /** Follows a job that was running when the clock went back. */
  let job: Subscription;
  let events: Subscription;
  let answered: string;

  const ask = (query: string, variables: object, bearer = token, headers = {}) =>
    send(trellis, { body: JSON.stringify({ query, variables }), token: bearer, headers });
  const rename = (name: string) =>
    trellis.succeed('updateTeam', { team: { teamId: team.teamId }, alias: name }, 'team { alias }');
  const repeated = () =>
    ask(
      `mutation($input: CreateTeamInput!) { createTeam(input: $input) { ... on CreateTeamPayload { team { uid } } } }`,
      { input: { name: 'repeated' } },
      token,
      { 'Idempotency-Key': 'the-key' },
    );
  /** Starts a job and follows it. */
  const deploy = async () => {
    const input = { application: { appId: place.appId } };
    const { job } = await trellis.succeed('deployApplication', input, 'job { uid }');
    const document = 'subscription($job: JobRef!) { jobChanged(job: $job) { status endedAt } }';
    const variables = { job: { jobId: job.uid } };
    // With an id, the first item is the present state.
    return subscribe(trellis, document, { variables, lastEventId: 'none' });
  };
  const endOf = async (changes: Subscription): Promise<string> => {
    const items = await until(changes, ({ data }) => data?.data.jobChanged.endedAt != null);
    changes.close();
    return items.at(-1)!.data.data.jobChanged.status;
  };

  beforeAll(async () => {
    database = await createMigratedDatabase();
    const server = startProcess({
      DATABASE_URL: database.url,
      SECRET_KEY: 'ab'.repeat(32),
      BOOTSTRAP_TOKEN: token,
      NODE_OPTIONS: `--import=${new URL('../support/clock.mjs', import.meta.url)}`,
      RATE_LIMIT_PER_SECOND: String(burst / 2),
      RATE_LIMIT_BURST: String(burst),
      SIMULATED_DELAY_MS: '1500',
      // No poll corrects the clock of the worker.
      JOB_POLL_MS: '600000',
    });
    const db = await openDatabase({ url: database.url, poolSize: 1 });
    trellis = clientOf(await server.listening, token, db);
    trellis.close = () => db.close();
    place = await createJobPlace(trellis, 'simulated');
    team = await trellis.createTeam();
    person = await trellis.createPerson({ isAdministrator: true });
    answered = (await repeated()).text;
    events = await subscribe(
      trellis,
      'subscription($team: TeamRef!) { events(team: $team) { changes { field after: newValue } } }',
      { variables: { team: { teamId: team.teamId } } },
    );
    const answers = await Promise.all(
      Array.from({ length: burst + 1 }, () => ask('{ __typename }', {}, person.token)),
    );
    expect(answers.some(({ status }) => status === 429)).toBe(true);
    job = await deploy();
    await until(job, ({ data }) => data?.data.jobChanged.status === 'RUNNING');
    server.child.kill('SIGUSR2');
    await vi.waitFor(() => expect(server.output().stdout).toContain('the clock went back'), 10_000);
  });
  afterAll(async () => {
    events?.close();
    await trellis?.close();
    await endProcesses();
    await database?.drop();
  });

  it('accepts tokens, and serves callers again that had reached their rate limit', async () => {
    const expiresAt = new Date(Date.now() - hourMs + 60_000);
    const { secret } = await trellis.succeed('createAccessToken', { name: 'short', expiresAt }, 'secret');
    expect((await ask('{ __typename }', {}, secret)).status).toBe(200);
    const refusals: number[] = [];
    const askAgain = async () => {
      const { status, headers } = await ask('{ __typename }', {}, person.token);
      if (status !== 200) refusals.push(Number(headers['retry-after']));
      return status;
    };
    await expect.poll(askAgain, { timeout: 90_000 }).toBe(200);
    // The window is of two seconds.
    expect(Math.max(0, ...refusals)).toBeLessThanOrEqual(2);
  });

  it('completes the jobs that it began before, and others', async () => {
    expect(await endOf(job)).toBe('SUCCEEDED');
    expect(await endOf(await deploy())).toBe('SUCCEEDED');
  });

  it('repeats the answer to a request with an Idempotency-Key', async () => {
    const { headers, text } = await repeated();
    expect([headers['idempotent-replayed'], text]).toEqual(['true', answered]);
  });

  it('sends the events of changes to subscribers', async () => {
    const alias = unique('alias');
    await rename(alias);
    const items = await until(events, ({ data }) =>
      data?.data.events.changes.some(({ after }: { after: unknown }) => after === alias),
    );
    expect(items).toHaveLength(1);
  });

  it('keeps the order of what was created', async () => {
    const { appId } = await trellis.createApplication(place, unique('app'));
    const { data } = (
      await ask(
        `query($team: TeamRef!) { team(by: $team) {
          events(first: 100, action: "application.create") { nodes { at objectUid } }
        } }`,
        { team: { teamId: place.team.teamId } },
      )
    ).body;
    const [newest, oldest, ...others] = data.team.events.nodes;
    expect([newest.objectUid, oldest.objectUid, others]).toEqual([String(appId), String(place.appId), []]);
    // So the clock was in fact set back.
    expect(Date.parse(newest.at)).toBeLessThan(Date.parse(oldest.at) - hourMs / 2);
  });
});
