import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { createCallers } from '../support/callers.ts';
import { type ChangeCase, everyChange } from '../support/every-change.ts';
import { everyRead, type ReadCase } from '../support/every-read.ts';
import type { All } from '../support/fixtures.ts';
import { connectMcp, type Mcp } from '../support/mcp.ts';
import { operationNamed, operations, rootOf } from '../support/operations.ts';
import { type RegistryServer, startRegistry } from '../support/registry-server.ts';
import { useTrellis } from '../support/trellis.ts';

const tools = operations.filter(({ noTool }) => noTool === undefined);
const names = tools.map(({ name }) => name).sort();

let all: All;
let every: Record<string, ChangeCase>;
let reads: Record<string, ReadCase>;
let registry: RegistryServer;
type Listed = Awaited<ReturnType<Mcp['client']['listTools']>>['tools'];
let daily: Listed;
let listed: Listed;
const clients = {} as Record<'administrator' | 'developer' | 'viewer' | 'reader', Mcp>;

const trellis = useTrellis();
beforeAll(async () => {
  registry = await startRegistry();
  all = await trellis.createAll();
  const { developer, viewer } = (await createCallers(trellis, all.team.teamId)).people;
  every = await everyChange(trellis, all);
  reads = await everyRead(trellis, all, registry, every);
  const reading = { name: 'reading', isReadOnly: true };
  const { secret } = await trellis.succeed('createAccessToken', reading, 'secret', developer.token);
  const tokens = {
    administrator: trellis.adminToken,
    developer: developer.token,
    viewer: viewer.token,
    reader: secret,
  };
  for (const [name, token] of Object.entries(tokens)) {
    clients[name as keyof typeof clients] = await connectMcp(trellis, token, 'all');
  }
  listed = (await clients.developer.client.listTools()).tools;
  daily = await listedAs(developer.token);
});
afterAll(async () => {
  for (const client of Object.values(clients)) await client.close();
  await registry?.close();
});

/** What a client lists whose address asks for these tools. */
async function listedAs(token: string, wanted?: string): Promise<Listed> {
  const client = await connectMcp(trellis, token, wanted);
  const { tools: found } = await client.client.listTools();
  await client.close();
  return found;
}

describe('the tools that are listed', () => {
  it('are by default those of daily work, in at most 30 kB', async () => {
    const expected = tools.filter(({ isDaily }) => isDaily).map(({ name }) => name);
    expect(daily.map(({ name }) => name)).toEqual([...expected, 'find_operations', 'call_operation']);
    expect(JSON.stringify({ tools: daily }).length).toBeLessThanOrEqual(30_000);
  });

  it('are all, or those that the address names', async () => {
    expect(listed.map(({ name }) => name).sort()).toEqual(names);
    const some = await listedAs(trellis.adminToken, 'update_component,%20find_operations,get_team');
    expect(some.map(({ name }) => name)).toEqual(['get_team', 'update_component', 'find_operations']);
    await expect(listedAs(trellis.adminToken, 'get_team,nothing')).rejects.toThrow(
      'tools: Unknown tools: nothing',
    );
  });

  it('have none whose result has a secret', () => {
    const secret = operations.filter(({ query }) => /^ +(secret|password)$/m.test(query));
    const found = secret.map(({ name }) => name);
    expect(found).toEqual(['create_access_token', 'create_webhook', 'rotate_webhook_secret']);
    for (const name of found) expect(names).not.toContain(name);
  });

  it('are for a token that is read-only the reads and what can be a dry run', async () => {
    const { tools: usable } = await clients.reader.client.listTools();
    const expected = tools.filter(({ isChange, takesDryRun }) => !isChange || takesDryRun);
    expect(usable.map(({ name }) => name)).toEqual(expected.map(({ name }) => name));
  });
});

describe('all other operations', () => {
  it('are found by words, and called by their names', async () => {
    const { developer } = clients;
    const { value } = await developer.call('find_operations', { search: 'set the probes of a component' });
    expect(value.operations).toHaveLength(5);
    const [found] = value.operations;
    const tool = listed.find(({ name }) => name === 'set_probes')!;
    const { name, title, description, inputSchema } = tool;
    expect(found).toEqual({ name, title, description, inputSchema, isChange: true });
    const given = { component: { id: all.component.id }, readiness: { tcp: { port: 8080 } }, dryRun: true };
    const called = await developer.call('call_operation', { name: 'set_probes', arguments: given });
    expect(called).toEqual(await developer.call('set_probes', given));
    expect(called.value.component.id).toBe(all.component.id);
    const one = await developer.call('find_operations', { search: 'Certificates', first: 1 });
    expect(one.value.operations[0].name).toContain('certificate');
    const none = await developer.call('find_operations', { search: 'xyzzy' });
    expect([none.value.operations, none.value.names.sort()]).toEqual([[], names]);
  });

  it.each([
    ['deploy new image', 'update_component'],
    ['webhook', 'get_webhook'],
    ['autoscale', 'set_autoscaling'],
    ['audit', 'list_enterprise_events'],
    ['roll back to an older release', 'rollback_component'],
    ['environment variables', 'set_variables'],
    ['invite somebody', 'add_team_member'],
    ['backup a volume', 'create_volume_snapshot'],
    ['run a command every night', 'create_schedule'],
    ['tls certificate', 'add_certificate'],
    ['logs', 'read_logs'],
  ])('are found by the meaning of %s', async (search, name) => {
    const { value } = await clients.developer.call('find_operations', { search });
    expect(value.operations.slice(0, 2).map((each: any) => each.name)).toContain(name);
  });

  it('are each found by their own names', async () => {
    for (const { name, title } of tools) {
      const { value } = await clients.viewer.call('find_operations', { search: title, first: 10 });
      expect(value.operations.map((each: any) => each.name)).toContain(name);
    }
  });

  it.each([
    ['find_operations', {}, '- search: Must be a text of up to 200 characters'],
    ['find_operations', { search: 'x'.repeat(201) }, '- search: '],
    ['find_operations', { search: 'x', first: 21 }, '- first: Must be a whole number from 1 to 20'],
    [
      'find_operations',
      { serch: 'x' },
      '- serch: Unknown argument. The arguments of find_operations: search',
    ],
    ['call_operation', {}, '- name: There is no such operation. Use find_operations'],
    ['call_operation', { name: 'create_access_token', arguments: { name: 'x' } }, '- name: There is no such'],
    ['call_operation', { name: 'find_operations', arguments: { search: 'x' } }, '- name: There is no such'],
    ['call_operation', { name: '__proto__' }, '- name: There is no such operation'],
    ['call_operation', { name: 'get_viewer', arguments: [] }, '- arguments: Must be an object'],
    [
      'call_operation',
      { name: 'get_viewer', arguments: { x: 1 } },
      '- x: Unknown argument. The arguments of get_viewer',
    ],
    [
      'call_operation',
      { name: 'get_viewer', given: {} },
      '- given: Unknown argument. The arguments of call_operation',
    ],
  ])('%s refuses %j', async (name, given, text) => {
    const answer = await clients.administrator.call(name, given);
    expect([answer.isError, answer.text]).toEqual([true, expect.stringContaining(text)]);
  });

  it('make no changes for a token that is read-only', async () => {
    const given = { name: 'create_team', arguments: { name: 'x' } };
    const { isError, text } = await clients.reader.call('call_operation', given);
    expect([isError, text]).toEqual([
      true,
      expect.stringContaining('FORBIDDEN: This access token is read-only, and create_team makes changes.'),
    ]);
  });
});

describe('tools that read', () => {
  it('take words where their list does', () => {
    const fields = schema.getQueryType()!.getFields();
    const searched = tools.filter(
      (each) => !each.isChange && fields[rootOf(each)]!.args.some(({ name }) => name === 'words'),
    );
    expect(searched.map(({ name }) => name).sort()).toEqual([
      'find_applications',
      'find_components',
      'find_teams',
      'list_http_rules',
      'list_tcp_rules',
    ]);
    for (const { name, inputSchema } of searched)
      expect([name, Object.keys(inputSchema.properties!)]).toEqual([name, expect.arrayContaining(['words'])]);
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

describe('tools that change something', () => {
  it('are annotated as their mutations are described', () => {
    const additive =
      /^(Adds|Creates|Installs|Lets|Makes a component depend|Offers|Opens|Publishes|Sends|Starts) /;
    for (const { name, annotations, description } of listed) {
      const operation = operationNamed(name);
      expect([name, annotations!.readOnlyHint]).toEqual([name, !operation.isChange]);
      if (!operation.isChange) continue;
      const of = schema.getMutationType()!.getFields()[rootOf(operation)]!.description!;
      expect(description).toContain(of.replace(/ REST: .*/, ''));
      expect([name, annotations!.idempotentHint]).toEqual([name, of.includes('Idempotent.')]);
      expect([name, annotations!.destructiveHint]).toEqual([name, !additive.test(of)]);
    }
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
      ['find_teams', { serch: 'x' }, '- serch: Unknown argument. The arguments of find_teams: search'],
      ['find_teams', { first: 101 }, '- first: Must be between 0 and 100'],
    ];
    for (const [name, given, text] of wrong) {
      const answer = await clients.developer.call(name, given);
      expect([name, answer.isError, answer.text]).toEqual([name, true, expect.stringContaining(text)]);
    }
  });
});

describe('the schemas of tools', () => {
  it('accept the arguments that the tools accept, and refuse others', async () => {
    const ajv = new Ajv({ strict: true });
    (formats as unknown as (of: Ajv) => void)(ajv);
    for (const { name, inputSchema } of listed) {
      const isValid = ajv.compile(inputSchema);
      const operation = operationNamed(name);
      const given = operation.isChange ? await every[rootOf(operation)]!.input() : reads[name]!.given;
      expect([name, isValid(JSON.parse(JSON.stringify(given))), isValid.errors]).toEqual([name, true, null]);
      expect([name, isValid({ ...given, unknown: 1 })]).toEqual([name, false]);
    }
  });
});

describe('docs/mcp.md', () => {
  it('has a table of the tools that are listed, with the first sentence of each', () => {
    const page = readFileSync(new URL('../../docs/mcp.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, name, text]) => [name, text]);
    expect(rows).toEqual(
      daily.map(({ name, description }) => [name, /^.*?[.:](?= [A-Z]|$)/.exec(description!)![0]]),
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
