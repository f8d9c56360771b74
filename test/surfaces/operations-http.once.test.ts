import { beforeAll, describe, expect, it } from 'vitest';
import type { All } from '../support/fixtures.ts';
import { operationNamed, operations } from '../support/operations.ts';
import { addressOf, callRest, undocumented } from '../support/operations-rest.ts';
import { failing } from '../support/region-drivers.ts';
import { type Sent, send } from '../support/send.ts';
import { startTrellis, useTrellis } from '../support/trellis.ts';

const bodyLimitBytes = 100_000;
const origin = 'https://console.example';

const trellis = useTrellis({ bodyLimitBytes, corsOrigins: [origin], drivers: [failing] });
let all: All;
beforeAll(async () => {
  all = await trellis.createAll();
});

const get = (path: string, given: object = {}, sent: Sent = {}) =>
  send(trellis, { path: addressOf({ path }, given), ...sent });
const post = (path: string, body: unknown, sent: Sent = {}) =>
  send(trellis, {
    path: `/api/v1/${path}`,
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...sent,
  });
const call = (name: string, given: object, headers: Record<string, string> = {}) =>
  callRest(trellis, operationNamed(name), given, { headers });

const scale = (given: object = {}) => ({ component: { id: all.component.id }, replicas: 3, ...given });
const addFree = (number: number) => ({ component: { id: all.component.id }, number, protocol: 'TCP' });

describe('a request that is refused', () => {
  const manyKeys = Object.fromEntries(Array.from({ length: 10_001 }, (_, key) => [`k${key}`, 0]));
  const cases: [string, () => ReturnType<typeof send>, number, string, Record<string, string>?][] = [
    ['without a token', () => get('get-viewer', {}, { token: null }), 401, 'UNAUTHENTICATED'],
    ['with an unknown token', () => get('get-viewer', {}, { token: 'trl_no' }), 401, 'UNAUTHENTICATED'],
    ['of no operation', () => get('none'), 404, 'NOT_FOUND'],
    ['by the name of a tool', () => get('get_viewer'), 404, 'NOT_FOUND'],
    ['of a path below an operation', () => get('get-viewer/x'), 404, 'NOT_FOUND'],
    ['of a property of all objects', () => get('constructor'), 404, 'NOT_FOUND'],
    [
      'by POST for a read',
      () => post('get-viewer', {}),
      405,
      'METHOD_NOT_ALLOWED',
      { allow: 'GET, HEAD, OPTIONS' },
    ],
    [
      'by GET for a change',
      () => get('add-port', addFree(1)),
      405,
      'METHOD_NOT_ALLOWED',
      { allow: 'POST, OPTIONS' },
    ],
    [
      'by PUT',
      () => post('add-port', {}, { method: 'PUT' }),
      405,
      'METHOD_NOT_ALLOWED',
      { allow: 'POST, OPTIONS' },
    ],
    ['for HTML', () => get('find-teams', {}, { headers: { Accept: 'text/html' } }), 406, 'NOT_ACCEPTABLE'],
    [
      'as a form',
      () => post('add-port', 'a=1', { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'compressed',
      () => post('add-port', {}, { headers: { 'Content-Encoding': 'gzip' } }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['too large', () => post('add-port', ' '.repeat(bodyLimitBytes + 1)), 413, 'PAYLOAD_TOO_LARGE'],
    ['with too many keys', () => post('add-port', manyKeys), 400, 'LIMIT_EXCEEDED'],
  ];

  it.each(cases)('%s', async (_, ask, status, code, headers = {}) => {
    const answer = await ask();
    expect([answer.status, answer.body.code, answer.body.status]).toEqual([status, code, status]);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', ...headers });
    expect(trellis.logged.filter(({ msg }) => msg === 'request').at(-1)).toMatchObject({
      status,
      errorCodes: [code],
    });
  });

  const wrong: [string, () => ReturnType<typeof send>, (string | number)[], string][] = [
    ['no JSON', () => post('add-port', '{'), [], 'The body is not valid JSON'],
    [
      'no text',
      () => send(trellis, { path: '/api/v1/add-port', body: Buffer.from([0x7b, 0xff, 0x7d]) }),
      [],
      'The body is not valid UTF-8',
    ],
    ['a list', () => post('add-port', []), [], 'The body must be a JSON object'],
    ['null', () => post('add-port', 'null'), [], 'The body must be a JSON object'],
    ['an unknown field', () => post('add-port', { ...addFree(1), force: 1 }), ['force'], 'is not defined'],
    [
      '__proto__',
      () => post('add-port', JSON.stringify(addFree(1)).replace('{', '{"__proto__":{"x":1},')),
      ['__proto__'],
      'is not defined',
    ],
    ['a missing field', () => post('add-port', {}), ['component'], 'Is required'],
    [
      'a wrong type',
      () => post('add-port', { ...addFree(1), number: 'x' }),
      ['number'],
      'Must be a whole number',
    ],
    ['a wrong value', () => post('add-port', addFree(70_000)), ['number'], '<=65535'],
    [
      'an unknown field inside',
      () => post('add-port', { ...addFree(1), component: { nmae: 'x' } }),
      ['component', 'nmae'],
      'is not defined',
    ],
    [
      'two fields of a reference',
      () => post('add-port', { ...addFree(1), component: { id: 'x', componentId: 'y' } }),
      ['component'],
      'xactly one',
    ],
    [
      'parameters for a change',
      () => send(trellis, { path: '/api/v1/add-port?dryRun=true', body: JSON.stringify(addFree(1)) }),
      ['dryRun'],
      'Must be in the body',
    ],
    [
      'an unknown parameter',
      () => get('find-teams', { serch: 'x' }),
      ['serch'],
      'Unknown argument. The arguments of find_teams',
    ],
    [
      'a parameter named __proto__',
      () => get('find-teams', JSON.parse('{"__proto__":{"first":1}}')),
      ['__proto__'],
      'Unknown argument',
    ],
    [
      'a parameter without a name',
      () => send(trellis, { path: '/api/v1/find-teams?=1' }),
      [''],
      'Unknown argument',
    ],
    [
      'a parameter twice',
      () => send(trellis, { path: '/api/v1/find-teams?first=1&first=2' }),
      ['first'],
      'Send it only once',
    ],
    ['no number', () => get('find-teams', { first: 'x' }), ['first'], 'Must be a whole number'],
    ['half a number', () => get('find-teams', { first: 1.5 }), ['first'], 'Must be a whole number'],
    ['a large number', () => get('find-teams', { first: 1e14 }), ['first'], 'Must be a whole number from'],
    ['too many', () => get('find-teams', { first: 101 }), ['first'], 'Must be between 0 and 100'],
    ['a bad cursor', () => get('find-teams', { after: '💥' }), ['after'], ''],
    [
      'a flag of another kind',
      () => get('list-ports', { isOuter: 'yes' }),
      ['isOuter'],
      'Must be true or false',
    ],
    ['a reference that is no JSON', () => get('get-team', { team: 'shop' }), ['team'], 'Must be JSON'],
    ['a reference that is a list', () => get('get-team', { team: [] }), ['team'], ''],
    ['no reference', () => get('get-team'), ['team'], 'Is required'],
    [
      'a value of no enum',
      () => get('find-components', { desiredState: 'x' }),
      ['desiredState'],
      'Must be a value of DesiredState',
    ],
    [
      'a region without a team',
      () => get('find-components', { region: { name: 'x' } }),
      ['region'],
      'Requires `team`',
    ],
  ];

  it.each(wrong)('for %s names what is wrong', async (_, ask, path, message) => {
    const { status, body } = await ask();
    expect([status, body.code]).toEqual([400, 'INVALID_INPUT']);
    expect(body.issues).toContainEqual({ path, message: expect.stringContaining(message) });
    // Callers of an operation know its arguments, which are variables of its document.
    expect(JSON.stringify(body)).not.toContain('Variable');
  });
});

describe('garbage', () => {
  it('never fails in an operation', async () => {
    let deep: unknown = 1;
    for (let level = 0; level < 1_000; level++) deep = level % 2 ? [deep] : { id: deep };
    const values: unknown[] = [
      null,
      0,
      -1,
      1e308,
      '',
      '\u0000',
      '\ud800',
      [],
      {},
      [null],
      { id: null },
      deep,
    ];
    const bodies = ['', 'null', '"x"', '{"":1}', '{"input":{}}', '{"dryRun":"x"}', JSON.stringify(deep)];
    const answers: [string, number][] = [];
    const note = (what: string, { status }: { status: number }) => {
      if (status >= 500 && status !== 502) answers.push([what, status]);
    };
    for (const [index, { path, isChange, inputSchema }] of operations.entries()) {
      const names = Object.keys(inputSchema.properties!);
      // Every operation gets some of the values, and every value is given to many.
      const given = [0, 4, 8].map((shift) =>
        Object.fromEntries(names.map((name, at) => [name, values[(index + at + shift) % values.length]])),
      );
      if (isChange) {
        for (const body of given) note(`${path} ${JSON.stringify(body)}`, await post(path, body));
        const body = bodies[index % bodies.length]!;
        note(`${path} ${body}`, await post(path, body));
      } else {
        for (const each of given) note(path, await get(path, each));
        note(path, await get(path, {}, { path: `/api/v1/${path}?%ff=%00&&=&${names[0]}=%` }));
      }
    }
    expect(answers).toEqual([]);
    expect(trellis.logged.filter(({ level }) => level >= 50)).toEqual([]);
  });
});

describe('an answer', () => {
  it('is JSON that nobody keeps, also by HEAD', async () => {
    const { status, headers, body } = await get('find-teams', { search: all.team.name });
    expect([status, body.totalCount]).toEqual([200, 1]);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    });
    const head = await get('find-teams', { search: all.team.name }, { method: 'HEAD' });
    expect([head.status, head.text, head.headers['content-length']]).toEqual([
      200,
      '',
      headers['content-length'],
    ]);
  });

  it('tells which methods there are', async () => {
    const options = (path: string) =>
      send(trellis, { path: `/api/v1/${path}`, method: 'OPTIONS', token: null });
    const allow = await Promise.all(['get-team', 'add-port', 'openapi.json'].map(options));
    expect(allow.map(({ status, headers }) => [status, headers.allow])).toEqual([
      [204, 'GET, HEAD, OPTIONS'],
      [204, 'POST, OPTIONS'],
      [204, 'GET, HEAD, OPTIONS'],
    ]);
  });

  it('shows its headers to pages of other origins', async () => {
    const { headers } = await get('get-viewer', {}, { headers: { Origin: origin } });
    expect(headers['access-control-expose-headers']).toMatch(/Link.*Trellis-Warning/);
  });

  it('links to the next page, until the last', async () => {
    const team = await trellis.createTeam();
    const names = ['one', 'two', 'three'].map((name) => `${team.name}-${name}`);
    for (const name of names) await trellis.succeed('createTeam', { name }, '__typename');
    const found: string[] = [];
    let path: string | undefined = addressOf({ path: 'find-teams' }, { search: `${team.name}-`, first: 2 });
    for (let pages = 1; path; pages++) {
      expect(pages).toBeLessThanOrEqual(2);
      const { body, headers } = await send(trellis, { path });
      found.push(...body.nodes.map(({ name }: { name: string }) => name));
      path = /^<([^>]+)>; rel="next"$/.exec(headers.link ?? '')?.[1];
    }
    expect(found.sort()).toEqual([...names].sort());
  });

  it('links to the next page of a list inside', async () => {
    await trellis.addPort(all.component.componentId, 8090);
    const first = await call('list_ports', { component: { id: all.component.id }, first: 1 });
    const [, next] = /^<([^>]+)>; rel="next"$/.exec(first.headers.link!)!;
    const second = await send(trellis, { path: next! });
    expect(second.status).toBe(200);
    expect(second.body.ports.nodes[0].number).not.toBe(first.body.ports.nodes[0].number);
  });

  it('names the parts that could not be read', async () => {
    const { application, region } = await trellis.createAll();
    const created = { application: { id: application.id }, name: 'x', image: 'x:1', deploy: true };
    const { component } = (await call('create_component', created)).body;
    await trellis.services.db.transaction((tx) =>
      tx.region.update({ where: { id: region.regionId }, data: { driver: failing.name } }),
    );
    const { body, headers } = await call('get_component', { component: { id: component.id } });
    expect(body.state).toBeNull();
    expect(headers['trellis-warning']).toContain('component.state is null. REGION_UNAVAILABLE: ');
  });
});

describe('a wrong argument of a part', () => {
  it.each([
    ['tail', -1],
    ['tail', 100_000],
    ['instance', '../x'],
    ['search', 'x'.repeat(300)],
  ])('fails the read: %s %j', async (name, value) => {
    const { component } = await trellis.createAll();
    const given = { component: { componentId: component.componentId }, [name]: value };
    const { status, body } = await call('read_logs', given);
    expect([status, body.code, body.issues.map(({ path }: any) => path)]).toEqual([
      400,
      'INVALID_INPUT',
      [[name]],
    ]);
  });

  it('fails the read of a time that ends before it begins', async () => {
    const { component } = await trellis.createAll();
    const times = { since: '2026-02-01T00:00:00Z', until: '2026-01-01T00:00:00Z' };
    const { status, body } = await call('read_logs', {
      component: { componentId: component.componentId },
      ...times,
    });
    expect([status, body.code, body.issues[0].path]).toEqual([400, 'INVALID_INPUT', ['until']]);
  });
});

describe('If-Match', () => {
  it('makes a change only of the revision that was read, whose tag the change returns', async () => {
    const first = await call('scale_component', scale({ replicas: 2 }));
    expect(first.headers.etag).toBe(`"${all.component.id}.${first.body.component.revision}"`);
    const second = await call('scale_component', scale(), { 'If-Match': first.headers.etag! });
    expect([second.status, second.body.component.replicas]).toEqual([200, 3]);
    const stale = await call('scale_component', scale({ replicas: 4 }), { 'If-Match': first.headers.etag! });
    expect([stale.status, stale.body.code]).toEqual([409, 'CONFLICT']);
    const any = await call('scale_component', scale({ replicas: 4 }), { 'If-Match': '*' });
    expect(any.status).toBe(200);
    const several = `W/"x", "other.1", ${any.headers.etag}`;
    expect((await call('scale_component', scale(), { 'If-Match': several })).status).toBe(200);
  });

  it('allows nothing with tags of others, or weak ones', async () => {
    const { headers } = await call('scale_component', scale({ replicas: 5 }));
    for (const tag of [`W/${headers.etag}`, '"x"', `"${all.port.id}.1"`, `"${all.component.id}.0"`]) {
      const { status, body } = await call('scale_component', scale(), { 'If-Match': tag });
      expect([tag, status, body.code]).toEqual([tag, 409, 'CONFLICT']);
    }
  });

  it.each<[string, () => object, string, (string | number)[]]>([
    ['without quotes', () => scale(), 'x', ['If-Match']],
    ['without an id', () => scale({ component: { componentId: 'x' } }), '"x.1"', ['component', 'id']],
    ['without a reference', () => ({ replicas: 1 }), '"x.1"', ['component', 'id']],
    ['with another revision', () => scale({ expectedRevision: 1 }), '"x.1"', ['If-Match']],
    ['with two revisions', () => scale(), 'TWO', ['If-Match']],
  ])('is refused %s', async (_, given, tag, path) => {
    const header = tag === 'TWO' ? `"${all.component.id}.1", "${all.component.id}.2"` : tag;
    const { status, body } = await call('scale_component', given(), { 'If-Match': header });
    expect([status, body.issues]).toEqual([400, [{ path, message: expect.any(String) }]]);
  });

  it('is refused where no object is changed that has a revision', async () => {
    const { status, body } = await call('add_port', addFree(4700), { 'If-Match': '"x.1"' });
    expect([status, body.issues[0].path]).toEqual([400, ['If-Match']]);
  });
});

describe('Idempotency-Key', () => {
  it('makes a change once, with the same answer', async () => {
    const headers = { 'Idempotency-Key': 'operation-1' };
    const first = await call('add_port', addFree(4711), headers);
    const again = await call('add_port', addFree(4711), headers);
    expect([first.status, first.headers['idempotent-replayed']]).toEqual([200, undefined]);
    expect(again.body).toEqual(first.body);
    expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true', etag: first.headers.etag });
    const other = await call('add_port', addFree(4712), headers);
    expect([other.status, other.body.code]).toEqual([409, 'CONFLICT']);
    const elsewhere = await call('delete_port', { port: { id: first.body.port.id } }, headers);
    expect([elsewhere.status, elsewhere.body.code]).toEqual([409, 'CONFLICT']);
  });

  it('repeats a refusal', async () => {
    const headers = { 'Idempotency-Key': 'operation-2' };
    const given = addFree(4711);
    const first = await call('add_port', given, headers);
    await call('delete_port', { port: { at: { component: { id: all.component.id }, number: 4711 } } });
    const again = await call('add_port', given, headers);
    expect([first.status, again.status, again.body.detail]).toEqual([409, 409, first.body.detail]);
  });

  it('is refused if it is none', async () => {
    const { status, body } = await call('add_port', addFree(4713), { 'Idempotency-Key': 'a b' });
    expect([status, body.issues[0].path]).toEqual([400, ['Idempotency-Key']]);
    const read = await call('get_team', { team: { id: all.team.id } }, { 'Idempotency-Key': 'a b' });
    expect(read.status).toBe(200);
  });
});

describe('limits', () => {
  it('count the requests, and tell when to try again', async () => {
    const hasty = await startTrellis({ http: { requestsPerSecond: 1, requestBurst: 2 } });
    const ask = () => send(hasty, { path: '/api/v1/get-viewer' });
    const answers = [await ask(), await ask(), await ask()];
    await hasty.close();
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers[2]!.headers['retry-after']).toMatch(/^[12]$/);
    expect(undocumented(operationNamed('get_viewer'), answers[2]!)).toEqual([]);
  });
});
