import { readdirSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { enumName } from '../../src/graphql/schema/viewer-can.ts';
import { allActions } from '../../src/kernel/actions.ts';
import { type Callers, createCallers } from '../support/callers.ts';
import { type ChangeCase, everyChange } from '../support/every-change.ts';
import { addPort, createAll, succeed } from '../support/fixtures.ts';
import { upgradedGroup } from '../support/installs.ts';
import { simulatedInstance } from '../support/instances.ts';
import { pendingJob } from '../support/jobs.ts';
import { connectMcp, type Mcp } from '../support/mcp.ts';
import { type RegistryServer, startRegistry } from '../support/registry-server.ts';
import { startTrellis, type Trellis } from '../support/trellis.ts';

const folder = new URL('../../src/operations/documents/', import.meta.url);

/** The tools as their files say, each with its mutation. */
const tools = readdirSync(folder).map((file) => {
  const [, mutation] =
    /^mutation [\s\S]*?\n {2}(\w+)\(/m.exec(readFileSync(new URL(file, folder), 'utf8')) ?? [];
  return { name: file.replace('.graphql', '').replaceAll('-', '_'), mutation };
});
const changes = tools.flatMap(({ name, mutation }) => (mutation ? [[name, mutation] as const] : []));
const reads = tools.filter(({ mutation }) => !mutation).map(({ name }) => name);

let trellis: Trellis;
let all: Awaited<ReturnType<typeof createAll>>;
let callers: Callers;
let every: Record<string, ChangeCase>;
let jobId: number;
let registry: RegistryServer;
let logged: Awaited<ReturnType<typeof simulatedInstance>>;
let listed: Awaited<ReturnType<Mcp['client']['listTools']>>['tools'];
const clients = {} as Record<'administrator' | 'developer' | 'viewer' | 'outsider' | 'reader', Mcp>;

beforeAll(async () => {
  trellis = await startTrellis();
  registry = await startRegistry();
  all = await createAll(trellis);
  callers = await createCallers(trellis, all.team.teamId);
  every = await everyChange(trellis, all);
  const component = { componentId: all.component.componentId };
  const set = ['DB_PASSWORD', 'MODE'].map((name) => ({ name, value: 'hunter2' }));
  await succeed(trellis, 'setVariables', { component, set }, '__typename');
  const application = { appId: all.application.appId };
  const rule = { application, component, portNumber: 8081, domain: 'www.mcp-shop.example', opensPort: true };
  await addPort(trellis, component.componentId, 8081);
  await succeed(trellis, 'createHttpRule', rule, '__typename');
  await upgradedGroup(trellis, application.appId);
  jobId = (await pendingJob(trellis, all)).jobId;
  const { developer, viewer, outsider } = callers.people;
  logged = await simulatedInstance(trellis, all.team.teamId);
  const reading = { name: 'reading', isReadOnly: true };
  const { secret } = await succeed(trellis, 'createAccessToken', reading, 'secret', developer.token);
  const tokens = {
    administrator: trellis.adminToken,
    developer: developer.token,
    viewer: viewer.token,
    outsider: outsider.token,
    reader: secret,
  };
  for (const [name, token] of Object.entries(tokens)) {
    clients[name as keyof typeof clients] = await connectMcp(trellis, token);
  }
  listed = (await clients.developer.client.listTools()).tools;
});
afterAll(async () => {
  for (const client of Object.values(clients)) await client.close();
  await trellis?.close();
  await registry?.close();
});

/** A call of each tool that reads: its arguments, and what its result has. What somebody of another team gets, if not NOT_FOUND. */
const readCases: Record<string, { given: () => object; has: () => string; outsider?: string }> = {
  get_viewer: {
    given: () => ({}),
    has: () => callers.people.developer.email,
    outsider: '"isReadOnly":false',
  },
  find_teams: {
    given: () => ({ search: all.team.name }),
    has: () => all.team.id,
    outsider: '"totalCount":0',
  },
  get_team: { given: () => ({ team: { name: all.team.name } }), has: () => all.region.name },
  get_team_resources: {
    given: () => ({ team: { id: all.team.id }, region: { name: all.region.name } }),
    has: () => '"totalMemoryMiB":0',
  },
  find_applications: { given: () => ({ team: { id: all.team.id } }), has: () => all.application.id },
  get_application: {
    given: () => ({ application: { id: all.application.id } }),
    has: () => all.component.id,
  },
  find_components: {
    given: () => ({ team: { id: all.team.id }, search: all.component.alias }),
    has: () => all.component.id,
  },
  get_component: {
    given: () => ({ component: { id: all.component.id } }),
    has: () => 'http://www.mcp-shop.example/',
  },
  list_variables: { given: () => ({ component: { id: all.component.id } }), has: () => '"value":"hunter2"' },
  list_ports: {
    given: () => ({ component: { id: all.component.id }, isOuter: true }),
    has: () => '"number":8081',
  },
  list_rules: {
    given: () => ({ application: { id: all.application.id } }),
    has: () => 'www.mcp-shop.example',
  },
  list_jobs: {
    given: () => ({ team: { id: all.team.id }, filter: { status: 'PENDING' } }),
    has: () => all.application.name,
  },
  get_job: { given: () => ({ job: { jobId } }), has: () => '"status":"PENDING"' },
  list_events: {
    given: () => ({ team: { id: all.team.id }, filter: { action: 'http_rule.create' } }),
    has: () => 'mcp-shop',
  },
  find_templates: {
    given: () => ({ search: 'Ring' }),
    has: () => '"version":"2.0.0"',
    outsider: '"version":"2.0.0"',
  },
  read_logs: {
    given: () => ({ component: logged.component, tail: 1 }),
    has: () => logged.instance,
  },
  check_image: {
    given: () => ({ team: { id: all.team.id }, image: `${registry.host}/shop/web:1.0` }),
    has: () => '"exists":true',
  },
  plan_manifest: {
    given: () => ({
      team: { id: all.team.id },
      region: { name: all.region.name },
      document: `application: ${all.application.name}\nnote: planned\n`,
    }),
    has: () => '"after":"planned"',
  },
  export_manifest: {
    given: () => ({ application: { id: all.application.id } }),
    has: () => `application: ${all.application.name}`,
  },
  list_upgrades: {
    given: () => ({ application: { id: all.application.id } }),
    has: () => '"toVersion":"2.0.0"',
  },
};

describe('tools that read', () => {
  it('each have a call here', () => {
    expect(Object.keys(readCases).sort()).toEqual(reads.sort());
  });

  it.each(reads)('%s', async (name) => {
    const { given, has, outsider } = readCases[name]!;
    const answer = await clients.developer.call(name, given());
    expect(answer).toMatchObject({ isError: false });
    expect(answer.text).toContain(has());
    expect(answer.value).toEqual(JSON.parse(answer.text));
    // A token that cannot change anything can read the same.
    expect((await clients.reader.call(name, given())).isError).toBe(false);
    const refused = await clients.outsider.call(name, given());
    expect([refused.isError, refused.text]).toEqual([
      outsider === undefined,
      expect.stringContaining(outsider ?? 'NOT_FOUND: There is no such'),
    ]);
  });

  it('redact secrets', async () => {
    const { value } = await clients.developer.call('list_variables', { component: { id: all.component.id } });
    const values = value.component.variables.nodes.map((each: any) => [each.name, each.value, each.isSecret]);
    expect(values).toContainEqual(['DB_PASSWORD', '[redacted]', true]);
    expect(values).toContainEqual(['MODE', 'hunter2', false]);
  });

  it('page', async () => {
    const given = { application: { id: all.application.id }, first: 1 };
    const { value } = await clients.viewer.call('get_application', given);
    const { nodes, pageInfo } = value.application.components;
    expect([nodes.length, pageInfo.hasNextPage]).toEqual([1, true]);
    const next = await clients.viewer.call('get_application', { ...given, after: pageInfo.endCursor });
    expect(next.value.application.components.nodes[0].id).not.toBe(nodes[0].id);
  });
});

/** A token of the developer that is limited to actions. */
async function narrowToken(actions: readonly string[]): Promise<string> {
  const { developer } = callers.people;
  const grants = [{ actions: actions.map(enumName) }];
  const { secret, accessToken } = await succeed(
    trellis,
    'createAccessToken',
    { name: 'narrow', grants },
    'secret accessToken { tokenId }',
    developer.token,
  );
  narrow.push(accessToken.tokenId);
  return secret;
}
/** A user has a limited number of tokens. */
const narrow: string[] = [];
afterEach(async () => {
  for (const tokenId of narrow.splice(0)) {
    await succeed(trellis, 'revokeAccessToken', { token: { tokenId } }, '__typename');
  }
});

describe('tools that change something', () => {
  it('are annotated as their mutations are described', () => {
    expect(listed.map(({ name }) => name).sort()).toEqual(tools.map(({ name }) => name).sort());
    const { additive, told } = { additive: /^(Adds|Opens|Creates|Installs|Starts) /, told: new Map(changes) };
    for (const { name, annotations, description } of listed) {
      const mutation = told.get(name);
      expect([name, annotations!.readOnlyHint]).toEqual([name, mutation === undefined]);
      if (!mutation) continue;
      const of = schema.getMutationType()!.getFields()[mutation]!.description!;
      expect(description).toContain(of.replace(/ REST: .*/, ''));
      expect([name, annotations!.idempotentHint]).toEqual([name, of.includes('Idempotent.')]);
      expect([name, annotations!.destructiveHint]).toEqual([name, !additive.test(of)]);
    }
  });

  it.each(changes)('%s', async (name, mutation) => {
    const { input, action } = every[mutation]!;
    const given = await input();
    const before = await trellis.counts();
    const refusals = {
      viewer: 'FORBIDDEN: ',
      outsider: 'NOT_FOUND: There is no such',
      reader: `FORBIDDEN: This access token is read-only, and ${name} makes changes.`,
    };
    for (const [caller, text] of Object.entries(refusals)) {
      const refused = await clients[caller as 'viewer'].call(name, given);
      expect([caller, refused.isError, refused.text]).toEqual([caller, true, expect.stringContaining(text)]);
    }
    const { inputSchema } = listed.find((tool) => tool.name === name)!;
    if (inputSchema.properties!.dryRun) {
      const planned = await clients.reader.call(name, { ...given, dryRun: true });
      expect(planned).toMatchObject({ isError: false });
    }
    expect(await trellis.counts()).toEqual(before);

    // A token that allows all but the mutation, and one that allows just that.
    const others = await connectMcp(
      trellis,
      await narrowToken([...allActions].filter((each) => each !== mutation)),
    );
    const refused = await others.call(name, given);
    await others.close();
    expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('FORBIDDEN: ')]);
    const one = await connectMcp(trellis, await narrowToken([mutation]));
    const answer = await one.call(name, given);
    await one.close();
    expect(answer).toMatchObject({ isError: false });
    expect(answer.value).toEqual(JSON.parse(answer.text));
    expect(answer.value.__typename).toBeUndefined();
    const { value } = await clients.developer.call('list_events', {
      team: { id: all.team.id },
      filter: { action },
    });
    expect(value.team.events.nodes[0].user.email).toBe(callers.people.developer.email);
  });

  it('say what is wrong with the arguments, and where', async () => {
    const port = { at: { component: { id: all.component.id }, number: 8080 } };
    const wrong: [string, object, string][] = [
      [
        'open_outer_service',
        { port: { nmber: 1 } },
        '- port.nmber: Field "nmber" is not defined by type "PortRef"',
      ],
      ['open_outer_service', {}, '- port: '],
      ['open_outer_service', { port, force: true }, '- force: '],
      ['open_outer_service', { port, expectedRevision: 4711 }, 'CONFLICT: '],
      ['add_port', { component: { id: all.component.id }, number: 70_000, protocol: 'TCP' }, '- number: '],
      ['find_teams', { serch: 'x' }, '- serch: Is not an argument of find_teams, which has: search'],
      ['find_teams', { first: 101 }, '- first: Must be between 0 and 100'],
    ];
    for (const [name, given, text] of wrong) {
      const answer = await clients.developer.call(name, given);
      expect([name, answer.isError, answer.text]).toEqual([name, true, expect.stringContaining(text)]);
    }
  });

  it('are listed for a token that is read-only if they can be a dry run', async () => {
    const { tools: usable } = await clients.reader.client.listTools();
    const rehearsable = listed.filter(({ inputSchema }) => inputSchema.properties!.dryRun);
    expect(rehearsable.length).toBeGreaterThan(8);
    expect(usable.map(({ name }) => name).sort()).toEqual(
      [...reads, ...rehearsable.map(({ name }) => name)].sort(),
    );
  });
});

describe('the schemas of tools', () => {
  it('accept the arguments that the tools accept, and refuse others', async () => {
    const ajv = new Ajv({ strict: true });
    (formats as unknown as (of: Ajv) => void)(ajv);
    const mutations = new Map(changes);
    for (const { name, inputSchema } of listed) {
      const isValid = ajv.compile(inputSchema);
      const mutation = mutations.get(name);
      const given = mutation ? await every[mutation]!.input() : readCases[name]!.given();
      expect([name, isValid(JSON.parse(JSON.stringify(given))), isValid.errors]).toEqual([name, true, null]);
      expect([name, isValid({ ...given, unknown: 1 })]).toEqual([name, false]);
    }
    // What an assistant has to read at the start.
    expect(JSON.stringify(listed).length).toBeLessThan(96_000);
  });
});

describe('docs/mcp.md', () => {
  it('has a table of the tools, with the first sentence of each', () => {
    const page = readFileSync(new URL('../../docs/mcp.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, name, text]) => [name, text]);
    expect(rows).toEqual(
      listed.map(({ name, description }) => [name, /^.*?[.:](?= [A-Z]|$)/.exec(description!)![0]]),
    );
  });
});

describe('resources', () => {
  it('are the schema and the reference', async () => {
    const { client } = clients.viewer;
    const { resources } = await client.listResources();
    const texts = new Map<string, string>();
    for (const { uri } of resources) {
      const { contents } = await client.readResource({ uri });
      texts.set(uri, (contents[0] as { text: string }).text);
    }
    const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    expect(Object.fromEntries(texts)).toEqual({
      'trellis://schema.graphql': read('schema.graphql'),
      'trellis://reference.md': read('docs/reference.md'),
    });
    await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow('no such resource');
  });
});
