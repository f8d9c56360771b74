import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import {
  administrators,
  type Callers,
  createCallers,
  developers,
  known,
  members,
  type Outcomes,
} from '../support/callers.ts';
import { type ChangeCase, everyChange } from '../support/every-change.ts';
import { type All, type Person, unique } from '../support/fixtures.ts';
import { pendingJob } from '../support/jobs.ts';
import { type RegistryServer, startRegistry } from '../support/registry-server.ts';
import { colleagues, inputsToRefuse, mutations, outcomesOf, teamAdmins } from '../support/rights.ts';
import { pendingRun } from '../support/runs.ts';
import { createdSchedule } from '../support/schedules.ts';
import { ringTemplate } from '../support/templates.ts';
import { useTrellis } from '../support/trellis.ts';

let all: All;
let templateId: number;
let callers: Callers['tokens'];
let changes: Record<string, ChangeCase>;
let certificateId: number;
let credentialId: number;
let webhookId: string;
/** One of the component that everybody in the team sees. */
let releaseId: number;
let registry: RegistryServer;
let domain: string;
let jobId: number;
let runId: string;
let previewId: string;
let scheduleId: string;
let people: Callers['people'];
/** A region whose cluster does not answer. */
let cluster: { name: string };
/** An administrator of another enterprise. */
let foreigner: Person;

const input = async (name: string) => (await changes[name]!.input()) as object;

const trellis = useTrellis();
beforeAll(async () => {
  all = await trellis.createAll();
  cluster = await trellis.createRegion({ driver: 'KUBERNETES', url: 'https://127.0.0.1:1' });
  const opened = { team: { teamId: all.team.teamId }, region: { name: cluster.name } };
  await trellis.succeed('openTeamRegion', opened, '__typename');
  const ring = ringTemplate(1);
  const published = await trellis.succeed('publishTemplate', { template: ring.text }, 'template { uid }');
  templateId = published.template.uid;
  registry = await startRegistry();
  changes = await everyChange(trellis, all);
  changes.deleteTeam!.input = async () => {
    const { teamId } = await trellis.createTeam();
    for (const role of ['viewer', 'developer'] as const) {
      const added = { team: { teamId }, user: { userId: people[role].userId }, role: role.toUpperCase() };
      await trellis.succeed('addTeamMember', added, 'member { role }');
    }
    return { team: { teamId } };
  };
  const added = await trellis.succeed('addCertificate', await input('addCertificate'), 'certificate { uid }');
  certificateId = added.certificate.uid;
  const made = await trellis.succeed(
    'createRegistryCredential',
    await input('createRegistryCredential'),
    'credential { uid }',
  );
  credentialId = made.credential.uid;
  const hook = await trellis.succeed('createWebhook', await input('createWebhook'), 'webhook { uid }');
  webhookId = hook.webhook.uid;
  const deployed = { component: { componentId: all.component.componentId } };
  await trellis.succeed('deployComponent', deployed, '__typename');
  const { release } = await trellis.data('query($by: ReleaseRef!) { release(by: $by) { uid } }', {
    by: { at: { ...deployed, number: 1 } },
  });
  releaseId = release.uid;
  ({ jobId } = await pendingJob(trellis, all));
  ({ runId } = await pendingRun(trellis, all.team.teamId));
  const application = { appId: all.application.appId };
  await trellis.succeed('updateApplication', { application, previews: { most: 100 } }, '__typename');
  const { preview } = await trellis.succeed(
    'openPreview',
    { application, key: unique('pr') },
    'preview { uid }',
  );
  previewId = preview.uid;
  ({ scheduleId } = await createdSchedule(trellis, all.team.teamId));
  const created = await trellis.succeed('createHttpRule', await input('createHttpRule'), 'rule { domain }');
  domain = created.rule.domain;
  await trellis.succeed('createTcpRule', await input('createTcpRule'), '__typename');
  ({ people, tokens: callers } = await createCallers(trellis, all.team.teamId));
  foreigner = (await trellis.createEnterprise()).administrator;
});
afterAll(() => registry.close());

/** A row for every field of Query: a query of it, whether its answer is empty, and who gets what. */
const queries: Record<
  string,
  { query: () => string; isEmpty?: (value: any) => boolean; outcomes: Outcomes }
> = {
  administrators: { query: () => 'administrators { nodes { email } }', outcomes: administrators },
  application: {
    query: () => `application(by: { appId: ${all.application.appId} }) { name }`,
    outcomes: members,
  },
  applications: {
    query: () => `applications(search: "${all.application.name}") { nodes { name } }`,
    isEmpty: (found) => found.nodes.length === 0,
    outcomes: ['empty', 'ok', 'ok', 'ok'],
  },
  certificate: {
    query: () => `certificate(by: { certificateId: ${certificateId} }) { name }`,
    outcomes: members,
  },
  registryCredential: {
    query: () => `registryCredential(by: { credentialId: ${credentialId} }) { host }`,
    outcomes: members,
  },
  release: { query: () => `release(by: { releaseId: ${releaseId} }) { number }`, outcomes: members },
  webhook: {
    query: () => `webhook(by: { webhookId: "${webhookId}" }) { url }`,
    outcomes: members,
  },
  checkImage: {
    query: () =>
      `checkImage(team: { teamId: "${all.team.teamId}" }, image: "${registry.host}/shop/web:1.0") { exists }`,
    outcomes: developers,
  },
  checkRegion: {
    query: () => `checkRegion(region: { name: "${cluster.name}" }) { isReachable }`,
    outcomes: teamAdmins,
  },
  component: {
    query: () => `component(by: { componentId: "${all.component.componentId}" }) { alias }`,
    outcomes: members,
  },
  components: {
    query: () => `components(search: "${all.component.alias}") { nodes { name } }`,
    isEmpty: (found) => found.nodes.length === 0,
    outcomes: ['empty', 'ok', 'ok', 'ok'],
  },
  events: { query: () => 'events { nodes { action } }', outcomes: administrators },
  httpRules: {
    query: () => `httpRules(search: "${domain}") { nodes { domain } }`,
    isEmpty: (found) => found.nodes.length === 0,
    outcomes: ['empty', 'ok', 'ok', 'ok'],
  },
  run: { query: () => `run(by: { runId: "${runId}" }) { status }`, outcomes: members },
  preview: { query: () => `preview(by: { previewId: "${previewId}" }) { key }`, outcomes: members },
  schedule: { query: () => `schedule(by: { scheduleId: "${scheduleId}" }) { cron }`, outcomes: members },
  job: { query: () => `job(by: { jobId: ${jobId} }) { status }`, outcomes: members },
  node: { query: () => `node(id: "${all.port.id}") { id }`, outcomes: members },
  nodes: {
    query: () => `nodes(ids: ["${all.team.id}", "${all.application.id}", "${all.region.id}"]) { id }`,
    isEmpty: (found) => found.every((each: unknown) => each === null),
    outcomes: ['empty', 'ok', 'ok', 'ok'],
  },
  port: {
    query: () =>
      `port(by: { at: { component: { componentId: "${all.component.componentId}" }, number: 8080 } }) { number }`,
    outcomes: members,
  },
  planManifest: {
    query: () =>
      `planManifest(team: { teamId: "${all.team.teamId}" }, region: { name: "${all.region.name}" }, document: "application: planned") { digest }`,
    outcomes: members,
  },
  regions: {
    query: () => `regions(search: "${all.region.name}") { nodes { name } }`,
    isEmpty: (found) => found.nodes.length === 0,
    outcomes: ['empty', 'ok', 'ok', 'ok'],
  },
  limits: { query: () => 'limits { name }', outcomes: colleagues },
  users: { query: () => 'users { nodes { email } }', outcomes: administrators },
  region: { query: () => `region(by: { name: "${all.region.name}" }) { name }`, outcomes: members },
  tcpRules: {
    query: () => `tcpRules(search: "${all.component.alias}") { nodes { endpoint } }`,
    isEmpty: (found) => found.nodes.length === 0,
    outcomes: ['empty', 'ok', 'ok', 'ok'],
  },
  team: { query: () => `team(by: { teamId: "${all.team.teamId}" }) { name }`, outcomes: members },
  template: { query: () => `template(by: { templateId: ${templateId} }) { name }`, outcomes: colleagues },
  templates: { query: () => 'templates { nodes { name } }', outcomes: colleagues },
  teamResources: {
    query: () =>
      `teamResources(of: [{ team: { teamId: "${all.team.teamId}" }, region: { name: "${all.region.name}" } }]) { usedCpuMillicores }`,
    isEmpty: (found) => found.length === 0,
    outcomes: ['empty', 'ok', 'ok', 'ok'],
  },
  teams: {
    query: () => `teams(search: "${all.team.name}") { nodes { name } }`,
    isEmpty: (found) => found.nodes.length === 0,
    outcomes: ['empty', 'ok', 'ok', 'ok'],
  },
  user: { query: () => `user(by: { email: "${people.viewer.email}" }) { nickName }`, outcomes: members },
  viewer: { query: () => 'viewer { user { email } }', outcomes: colleagues },
};

describe('every query', () => {
  it('has a test case', () => {
    expect(Object.keys(queries).sort()).toEqual(Object.keys(schema.getQueryType()!.getFields()).sort());
  });

  it.each(Object.keys(queries).filter((name) => queries[name]!.outcomes[0] !== 'FORBIDDEN'))(
    '%s shows nothing of it to an administrator of another enterprise',
    async (name) => {
      const { query, isEmpty = () => false } = queries[name]!;
      const { data, errors } = await trellis.graphql(`{ ${query()} }`, {}, foreigner.token);
      if (name === 'viewer') expect(data.viewer.user.email).toBe(foreigner.email);
      else if (name === 'templates') expect(data.templates.nodes).toEqual([]);
      // They are those of the gateway, for whoever asks.
      else if (name === 'limits') expect(errors).toBeUndefined();
      else
        expect(errors ? errors[0]!.extensions.code : isEmpty(data[name]) && 'empty').toMatch(
          /^(NOT_FOUND|empty)$/,
        );
    },
  );

  it('for administrators returns only the enterprise of the caller', async () => {
    const query =
      '{ administrators { nodes { email } } events(first: 100) { nodes { user { email } } } teams { totalCount } viewer { enterprise { teams { totalCount } users { nodes { email } } regions { totalCount } } } }';
    const own = await trellis.data(query, {}, foreigner.token);
    expect(own.administrators.nodes).toEqual([{ email: foreigner.email }]);
    expect(own.viewer.enterprise).toEqual({
      teams: { totalCount: 0 },
      users: { nodes: [{ email: foreigner.email }] },
      regions: { totalCount: 0 },
    });
    expect(own.events.nodes.filter((each: any) => each.user?.email !== foreigner.email)).toEqual([]);
  });

  it.each(Object.keys(queries))('%s returns to each caller what they may read', async (name) => {
    const { query, isEmpty = () => false, outcomes } = queries[name]!;
    const text = `{ ${query()} }`;
    for (const caller of ['none', 'unknown'] as const) {
      const { data, errors } = await trellis.graphql(text, {}, callers[caller]);
      expect(data).toBeUndefined();
      expect(errors?.map((error) => error.extensions.code)).toEqual(['UNAUTHENTICATED']);
    }
    for (const [index, caller] of known.entries()) {
      const { data, errors } = await trellis.graphql(text, {}, callers[caller]);
      const outcome = errors ? errors[0]!.extensions.code : isEmpty(data[name]) ? 'empty' : 'ok';
      expect(outcome, `${name} for ${caller}`).toBe(outcomes[index]);
      if (errors) expect(data?.[name] ?? null).toBeNull();
    }
  });

  it('answers for hidden objects as for missing ones', async () => {
    const hidden = [
      ['team(by: { teamId: "@" }) { name }', all.team.teamId],
      ['team(by: { name: "@" }) { name }', all.team.name],
      ['region(by: { name: "@" }) { name }', all.region.name],
      ['component(by: { componentId: "@" }) { alias }', all.component.componentId],
      ['component(by: { id: "@" }) { alias }', all.component.id],
      ['node(id: "@") { id }', all.port.id],
      ['application(by: { appId: @ }) { name }', all.application.appId, 2_000_000_000],
      ['certificate(by: { certificateId: @ }) { name }', certificateId, 2_000_000_000],
      ['registryCredential(by: { credentialId: @ }) { host }', credentialId, 2_000_000_000],
      ['webhook(by: { webhookId: "@" }) { url }', webhookId],
      ['job(by: { jobId: @ }) { status }', jobId, 2_000_000_000],
    ] as const;
    for (const [query, present, absent = 'nothing'] of hidden) {
      const ask = async (value: string | number) => {
        const { data, errors } = await trellis.graphql(
          `{ ${query.replace('@', String(value))} }`,
          {},
          callers.outsider,
        );
        return {
          data,
          errors: errors?.map((error) => ({ ...error, extensions: { ...error.extensions, requestId: '' } })),
        };
      };
      expect(await ask(present)).toEqual(await ask(absent));
    }
  });
});

let inputToRefuse: (name: string) => Promise<object>;
beforeAll(() => {
  inputToRefuse = inputsToRefuse(changes);
});

describe('every mutation', () => {
  it.each(mutations)('%s allows each caller what their role allows', async (name) => {
    const { input } = changes[name]!;
    const outcomes = outcomesOf(name);
    const title = `${name[0]!.toUpperCase()}${name.slice(1)}`;
    const text = `mutation M($input: ${title}Input!) { ${name}(input: $input) { __typename ... on Error { code } } }`;
    // Nobody who is refused uses it up: the first who is allowed succeeds with it.
    let prepared: object | undefined;
    for (const caller of ['none', 'unknown'] as const) {
      prepared ??= await input();
      const before = await trellis.counts();
      const { errors } = await trellis.graphql(text, { input: prepared }, callers[caller]);
      expect(errors?.map((error) => error.extensions.code)).toEqual(['UNAUTHENTICATED']);
      expect(await trellis.counts()).toEqual(before);
    }
    for (const [index, caller] of known.entries()) {
      prepared ??= await input();
      const before = await trellis.counts();
      const data = await trellis.data(text, { input: prepared }, callers[caller]!);
      expect(data[name].code ?? 'ok', `${name} for ${caller}`).toBe(outcomes[index]);
      if (outcomes[index] === 'ok') prepared = undefined;
      else expect(await trellis.counts()).toEqual(before);
    }
  });

  it.each(mutations.filter((name) => outcomesOf(name)[0] === 'NOT_FOUND'))(
    '%s refuses an administrator of another enterprise',
    async (name) => {
      const prepared = await inputToRefuse(name);
      const before = await trellis.counts();
      expect(await trellis.attempt(name, prepared, '__typename', foreigner.token)).toMatchObject({
        code: 'NOT_FOUND',
      });
      expect(await trellis.counts()).toEqual(before);
    },
  );

  // One for all of them, because a user has at most 100 tokens.
  let reader: Promise<{ secret: string }> | undefined;
  it.each(mutations)('%s refuses a read-only token', async (name) => {
    reader ??= trellis.succeed('createAccessToken', { name: 'reader', isReadOnly: true }, 'secret');
    const { secret } = await reader;
    const prepared = await inputToRefuse(name);
    const before = await trellis.counts();
    const result = await trellis.attempt(name, prepared, '__typename', secret);
    expect(result).toMatchObject({
      __typename: 'ForbiddenError',
      message: expect.stringContaining('read-only'),
    });
    expect(await trellis.counts()).toEqual(before);
    expect((await trellis.data('{ viewer { isAdministrator } }', {}, secret)).viewer.isAdministrator).toBe(
      true,
    );
  });
});
