import { beforeAll, describe, expect, it } from 'vitest';
import { seed } from '../../src/commands/seed-data.ts';
import type { RegionFigures } from '../../src/drivers/region/driver.ts';
import { driverOf } from '../support/region-drivers.ts';
import { type Answer, send } from '../support/send.ts';
import { startTrellis, useTrellis } from '../support/trellis.ts';

/** Clusters that wait until they are told to answer. */
const waiting: (() => void)[] = [];
let whenAsked: () => void = () => {};
const slow = driverOf({
  name: 'slow',
  figures: (regions) =>
    new Promise((resolve) => {
      const figures = new Map<string, RegionFigures>();
      for (const { id } of regions) {
        figures.set(id, {
          usedCpuCores: 1,
          totalCpuCores: 1,
          usedMemoryMiB: 1,
          totalMemoryMiB: 1,
          usedDiskGiB: 1,
          totalDiskGiB: 1,
        });
      }
      waiting.push(() => resolve(figures));
      whenAsked();
    }),
});

const limits = { values: 3_000, textBytes: 100_000, keys: 200, requestTimeoutMs: 60_000 };
const trellis = useTrellis({ limits, drivers: [slow] });
/** The ids of an application with 60 components, and of a team and a region of it. */
let appId: number;
let teamId: string;
let regionName: string;
beforeAll(async () => {
  await seed(trellis.services.db, { teams: 2, applications: 2, components: 60, ports: 2 });
  const { viewer } = await trellis.data(
    '{viewer{enterprise{teams(first:1){nodes{uid applications(first:1){nodes{uid region{name}}}}}}}}',
  );
  const [team] = viewer.enterprise.teams.nodes;
  teamId = team.uid;
  appId = team.applications.nodes[0].uid;
  regionName = team.applications.nodes[0].region.name;
});

const ask = (query: string, variables?: object, to = trellis) =>
  send(to, { body: JSON.stringify({ query, variables }) });

/** The one error of a request that was refused as a whole. */
function refusalOf({ status, headers, body }: Answer, code: string, of: number) {
  expect(body).not.toHaveProperty('data');
  expect(body.errors).toHaveLength(1);
  const [{ message, extensions }] = body.errors;
  expect(extensions.code).toBe(code);
  expect(extensions).not.toHaveProperty('http');
  expect(status).toBe(of);
  return { message, headers };
}

const aliases = (field: string, count: number, prefix = 'a') =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}:${field}`).join(' ');

describe('the keys in a JSON body', () => {
  const unknown = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
  const tooMany = 'The request exceeds the limit of 200 keys in its JSON.';
  const query = 'query($by: TeamRef!) { team(by: $by) { name } }';

  it.each([
    ['in a variable', { by: unknown(80_000) }],
    ['of variables', unknown(80_000)],
    ['deep in a variable', { by: { name: [[{ x: unknown(40_000) }, unknown(40_000)]] } }],
  ])('are limited %s', async (_, variables) => {
    expect(refusalOf(await ask(query, variables), 'LIMIT_EXCEEDED', 400).message).toBe(tooMany);
  });

  // Bodies that are no JSON show that nothing is parsed before.
  it.each(['/graphql', '/mcp', '/openapi/v1/teams/a/regions/b/apps/1/install', '/api/v1/create-team'])(
    'are counted before a body of %s is parsed, as values are',
    async (path) => {
      const distinct = Array.from({ length: 201 }, (_, index) => `{"k${index}":0}`);
      expect((await send(trellis, { path, body: `[${distinct}` })).text).toContain(tooMany);
      expect((await send(trellis, { path, body: '['.repeat(100_000) })).text).toContain(
        'The request exceeds the limit of 100000 values in its JSON.',
      );
    },
  );

  it.each(['":,[{', '\\":', ':\\'])('are not in texts such as %j', async (text) => {
    const body = JSON.stringify({ query: '{__typename}', extensions: { x: text.repeat(30_000) } });
    expect((await send(trellis, { body })).body).toEqual({ data: { __typename: 'Query' } });
  });

  it('count together towards the limit', async () => {
    // Two of the body itself.
    const few = await ask('{__typename}', { ...unknown(99), more: [unknown(98)] });
    expect(few.body).toEqual({ data: { __typename: 'Query' } });
    const many = await ask('{__typename}', { ...unknown(99), more: [unknown(99)] });
    expect(refusalOf(many, 'LIMIT_EXCEEDED', 400).message).toBe(tooMany);
  });

  it.each(['variables', 'extensions'])('are limited in the query parameter %s', async (name) => {
    const value = encodeURIComponent(JSON.stringify(unknown(300)));
    const answer = await send(trellis, { path: `/graphql?query={__typename}&${name}=${value}` });
    expect(refusalOf(answer, 'LIMIT_EXCEEDED', 400).message).toBe(tooMany);
  });

  it('are limited for a cached document', async () => {
    for (let times = 0; times < 2; times++) await ask(query, { by: { teamId } });
    expect(refusalOf(await ask(query, { by: unknown(300) }), 'LIMIT_EXCEEDED', 400).message).toBe(tooMany);
  });

  it('are limited in REST, in bodies and in addresses', async () => {
    const path = `/openapi/v1/teams/${teamId}/regions/${regionName}/apps/${appId}/services/x/ports`;
    for (const body of [unknown(80_000), { port: unknown(300) }]) {
      const answer = await send(trellis, { path, body: JSON.stringify(body) });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ code: 'LIMIT_EXCEEDED', detail: tooMany });
    }
    const address = `/openapi/v1/teams?${Array.from({ length: 300 }, (_, index) => `k${index}=1`).join('&')}`;
    expect((await send(trellis, { path: address })).body).toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });

  it('can be absent, however deep the brackets are', async () => {
    const deep = `${'['.repeat(90_000)}${']'.repeat(90_000)}`;
    const body = `{"query":"{__typename}","variables":{"x":${deep}}}`;
    expect((await send(trellis, { body })).body).toEqual({ data: { __typename: 'Query' } });
  });
});

describe('the arguments of all fields', () => {
  const teams = (argument: string, count: number) =>
    aliases(`teams(search:${argument},first:1){totalCount}`, count);
  const searches = (count: number, search: string) =>
    ask(`query($v:String){${teams('$v', count)}}`, { v: search });
  const tooLong = /^The request exceeds the limit of \d+ characters in the arguments of all fields\.$/;

  it('are limited, where a variable counts at each use', async () => {
    expect((await searches(4, 'x'.repeat(100_000))).body.errors[0].extensions.code).toBe('INVALID_INPUT');
    expect((await searches(200, 'x'.repeat(1_000))).body.errors[0].extensions.code).toBe('INVALID_INPUT');
    for (const answer of [await searches(5, 'x'.repeat(100_000)), await searches(200, 'x'.repeat(2_000))]) {
      expect(refusalOf(answer, 'LIMIT_EXCEEDED', 400).message).toMatch(tooLong);
    }
  });

  it('are limited, where a fragment counts at each use', async () => {
    const text = 'x'.repeat(10_000);
    const of = (count: number) =>
      `{${aliases(`team(by:{teamId:"none"}){...T}`, count)}} fragment T on Team{applications(search:"${text}"){totalCount}}`;
    expect((await ask(of(20))).body.errors[0].extensions.code).toBe('NOT_FOUND');
    expect(refusalOf(await ask(of(40)), 'LIMIT_EXCEEDED', 400).message).toMatch(tooLong);
  });

  it('are limited in their default values, and in objects', async () => {
    const query = `query($v:String="${'x'.repeat(10_000)}"){${teams('$v', 40)}}`;
    expect(refusalOf(await ask(query), 'LIMIT_EXCEEDED', 400).message).toMatch(tooLong);
    const named = `query($v:String){${aliases('team(by:{name:$v}){uid}', 40)}}`;
    const answer = await ask(named, { v: 'x'.repeat(10_000) });
    expect(refusalOf(answer, 'LIMIT_EXCEEDED', 400).message).toMatch(tooLong);
  });

  it('are limited in their number of values', async () => {
    const query = 'query($v:[ID!]!){a:nodes(ids:$v){id} b:nodes(ids:$v){id}}';
    const answer = await ask(query, { v: Array(60_000).fill('') });
    expect(refusalOf(answer, 'LIMIT_EXCEEDED', 400).message).toBe(
      'The request exceeds the limit of 100000 values in the arguments of all fields.',
    );
  });
});

describe('the errors of variables', () => {
  const unknown = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`unknown${index}`, 1]));
  const ask = (query: string, name: string, accept?: string) =>
    send(trellis, {
      body: JSON.stringify({ query, variables: { by: { name, ...unknown } } }),
      ...(accept && { headers: { Accept: accept } }),
    });
  const read = 'query Q($by: TeamRef!) { team(by: $by) { name } }';

  it('are at most fifty', async () => {
    const { body } = await ask(read, 'x');
    expect(body.errors).toHaveLength(51);
  });

  // Each quotes the whole value before its message is cut.
  it('are one and the end where the variables are very long', async () => {
    const { body } = await ask(read, 'x'.repeat(450_000));
    expect(body.errors).toHaveLength(2);
    const follow = 'subscription S($by: TeamRef!) { events(team: $by) { id } }';
    const { text } = await ask(follow, 'x'.repeat(450_000), 'text/event-stream');
    expect(text.match(/INVALID_INPUT/g)).toHaveLength(2);
  });
});

describe('the values of an answer', () => {
  const tooMany = 'The request exceeds the limit of 3000 values in one response.';

  it.each([
    ['of one list', `{application(by:{appId:APP}){components(first:60){nodes{${aliases('alias', 60)}}}}}`],
    [
      'of a list whose fields are resolved',
      `{application(by:{appId:APP}){components(first:60){nodes{${aliases('state', 60)}}}}}`,
    ],
    [
      'of lists inside lists',
      `{application(by:{appId:APP}){components(first:60){nodes{application{components(first:60){nodes{id}}}}}}}`,
    ],
    ['of many lists', `{application(by:{appId:APP}){${aliases('components(first:60){nodes{id}}', 40)}}}`],
    [
      'of single objects',
      `{${aliases('application(by:{appId:APP}){...A}', 3)}} fragment A on Application{${aliases('name', 1_100)}}`,
    ],
  ])('are limited: %s', async (_, text) => {
    const query = text.replaceAll('APP', String(appId));
    for (let times = 0; times < 3; times++) {
      const answer = await ask(query);
      const { message } = refusalOf(answer, 'LIMIT_EXCEEDED', 400);
      expect(message).toBe(tooMany);
    }
  });

  it('is accepted at the limit', async () => {
    // The query, the application, the connection, the list's 60 components and 48 fields of each.
    const nodes = `components(first:60){nodes{${aliases('alias', 48)}}}`;
    const query = `{application(by:{appId:${appId}}){${nodes}}}`;
    expect((await ask(query)).body.errors).toBeUndefined();
    expect(refusalOf(await ask(query.replace('{a0', '{more:name a0')), 'LIMIT_EXCEEDED', 400)).toBeTruthy();
  });

  it('end the request without further reads beyond the limit', async () => {
    const below = 'application{team{applications(first:7){totalCount}}}';
    const list = `components(first:60){nodes{${aliases('alias', 60)} ${below}}}`;
    trellis.statements.length = 0;
    refusalOf(await ask(`{application(by:{appId:${appId}}){${list}}}`), 'LIMIT_EXCEEDED', 400);
    expect(trellis.statements.some((text) => text.includes('"component"'))).toBe(true);
    expect(trellis.statements.filter((text) => /count\(\*\)/.test(text))).toEqual([]);
  });

  it('are limited in REST', async () => {
    const path = `/openapi/v1/teams/${teamId}/regions/${regionName}/apps/${appId}/services`;
    const answer = await send(trellis, { path });
    expect(answer.status, answer.text).toBe(200);
    const small = await startTrellis({ limits: { values: 1_000 } });
    try {
      await seed(small.services.db, { teams: 1, applications: 1, components: 60, ports: 1 });
      const { application } = await small.data('{application(by:{appId:1}){team{uid} region{name}}}');
      const { team, region } = application;
      const own = `/openapi/v1/teams/${team.uid}/regions/${region.name}/apps/1/services`;
      const refused = await send(small, { path: own });
      expect(refused.status).toBe(400);
      expect(refused.body).toMatchObject({
        code: 'LIMIT_EXCEEDED',
        detail: 'The request exceeds the limit of 1000 values in one response.',
      });
    } finally {
      await small.close();
    }
  });
});

describe('the text of an answer', () => {
  const tooLong = 'The request exceeds the limit of 100000 bytes of text in one response.';

  it('is limited, its names and its values alike', async () => {
    const list = (name: string) => `{application(by:{appId:${appId}}){components(first:60){nodes{${name}}}}}`;
    const long = aliases('isInner', 40, `${'x'.repeat(50)}_`);
    expect(refusalOf(await ask(list(long)), 'LIMIT_EXCEEDED', 400).message).toBe(tooLong);
    expect(refusalOf(await ask(list(aliases('uid', 48))), 'LIMIT_EXCEEDED', 400).message).toBe(tooLong);
    expect((await ask(list(aliases('isInner', 40)))).status).toBe(200);
  });

  it('is limited as it is sent', async () => {
    const { application } = await trellis.createAll();
    // Each becomes two characters.
    const note = '"'.repeat(55);
    await trellis.services.db.transaction((tx) =>
      tx.application.update({ where: { id: application.appId }, data: { note } }),
    );
    const query = `{application(by:{appId:${application.appId}}){${aliases('note', 1_400)}}}`;
    expect(refusalOf(await ask(query), 'LIMIT_EXCEEDED', 400).message).toBe(tooLong);
  });
});

describe('the errors of fields', () => {
  const send = (text: string) =>
    ask(`query ($region: RegionRef = { name: "x" }) { ${text} }`, { region: null });
  /** Fields that are errors, because their argument is null. */
  const failing = (times: number) => aliases('resources(region: $region) { revision }', times);
  const ofComponents = (count: number, times: number) =>
    send(`application(by: { appId: ${appId} }) { components(first: ${count}) { nodes {
      application { team { ${failing(times)} } }
    } } }`);

  it('each name their field and its argument', async () => {
    const { body } = await ofComponents(20, 2);
    expect(body.errors).toHaveLength(40);
    for (const { path, extensions } of body.errors) {
      expect(path.slice(0, 3)).toEqual(['application', 'components', 'nodes']);
      expect(extensions.issues[0].path).toEqual([
        ...['application', 'components', 'nodes', 'application', 'team', 'resources', 'region'],
      ]);
    }
  });

  it('have at most five places of a field that is selected many times', async () => {
    const field = 'resources(region: { name: "none" }) { revision } ';
    const { body } = await ask(`{ team(by: { teamId: "${teamId}" }) { ${field.repeat(100)} } }`);
    expect(body.errors).toHaveLength(1);
    expect(body.errors[0].locations).toHaveLength(5);
  });

  it('count towards the limit of text, with the names in their paths', async () => {
    const of = (count: number, name: string) =>
      send(`application(by: { appId: ${appId} }) { ${name}: components(first: ${count}) { nodes {
        ${name}: application { ${name}: team { ${name}: applications(first: 1) { nodes {
          ${name}: team { ${name}: applications(first: 1) { nodes { ${name}: team { ${failing(1)} } } } }
        } } } }
      } } }`);
    expect((await of(35, 'a')).body.errors).toHaveLength(35);
    const refused = refusalOf(await of(35, 'a'.repeat(255)), 'LIMIT_EXCEEDED', 400);
    expect(refused.message).toBe('The request exceeds the limit of 100000 bytes of text in one response.');
  });

  it('count towards the limit of values', async () => {
    const refused = refusalOf(await ofComponents(60, 2), 'LIMIT_EXCEEDED', 400);
    expect(refused.message).toBe('The request exceeds the limit of 3000 values in one response.');
  });
});

describe('a document', () => {
  it('has twenty validation errors at most', async () => {
    const { body } = await ask(`query (${aliases('TeamReff', 100, '$a')}) { __typename }`);
    expect(body).not.toHaveProperty('data');
    expect(body.errors).toHaveLength(21);
    expect(body.errors[20].message).toMatch(/^Too many validation errors/);
  });

  const fragments = (count: number, selections: string) =>
    Array.from({ length: count }, (_, index) => `fragment F${index} on Query { ${selections} }`).join(' ');
  const spreads = (count: number) => Array.from({ length: count }, (_, index) => `...F${index}`).join(' ');
  const tooMany = 'The request exceeds the limit of 50000 pairs of fields with the same name.';

  it.each([
    ['in one selection', `{ ${'viewer { __typename } '.repeat(500)} }`],
    ['below merged fields', `{ ${'viewer { user { id } user { id } } '.repeat(300)} }`],
    ['in inline fragments', `{ ${'... on Query { viewer { __typename } } '.repeat(500)} }`],
    ['in fragments', `{ ${spreads(100)} } ${fragments(100, 'viewer { __typename } '.repeat(6))}`],
    ['of a fragment', `{ __typename } ${fragments(1, '__typename '.repeat(600))}`],
    ['of fragments', `{ ${spreads(480)} } ${fragments(480, '__typename')}`],
  ])('can have few pairs of fields with the same name %s', async (_, query) => {
    expect(refusalOf(await ask(query), 'LIMIT_EXCEEDED', 400).message).toBe(tooMany);
  });

  it('can have a field hundreds of times', async () => {
    const { body } = await ask(`{ ${'viewer { __typename } '.repeat(200)} }`);
    expect(body).toEqual({ data: { viewer: { __typename: 'Viewer' } } });
  });

  const circle = (count: number, steps: number[]) =>
    Array.from({ length: count }, (_, index) => {
      const spread = steps.map((step) => `...F${(index + step) % count}`).join(' ');
      return `fragment F${index} on Query { ${spread} }`;
    }).join(' ');

  it.each([
    ['one', 1, [1], 'INVALID_INPUT'],
    ['some', 40, [1, 7, 31], 'INVALID_INPUT'],
    ['hundreds', 300, [1, 7, 31], 'LIMIT_EXCEEDED'],
  ])('cannot have fragments in a circle: %s', async (_, count, stepsOn, code) => {
    const { status, body } = await ask(`{ ...F0 } ${circle(count, stepsOn)}`);
    expect(status).toBe(code === 'INVALID_INPUT' ? 200 : 400);
    for (const { extensions } of body.errors) expect(extensions.code).toBe(code);
  });

  it.each([
    ['an alias', `{ ${'a'.repeat(256)}: __typename }`],
    ['a variable', `query ($${'a'.repeat(256)}: [ID!]!) { nodes(ids: $${'a'.repeat(256)}) { id } }`],
    ['a fragment', `{ ...${'a'.repeat(256)} }`],
  ])('can have names of 255 characters: not %s', async (_, query) => {
    expect(refusalOf(await ask(query), 'INVALID_INPUT', 400).message).toBe(
      'A name in a document can have at most 255 characters',
    );
  });
});

describe('the memory of all answers', () => {
  it('is shared, and released', async () => {
    const small = await startTrellis({ limits: { answersBytes: 12 * 2 ** 20 }, drivers: [slow] });
    try {
      await seed(small.services.db, { teams: 1, applications: 1, components: 100, ports: 1 });
      const region = await small.createRegion();
      await small.services.db.transaction((tx) =>
        tx.region.update({ where: { id: region.regionId }, data: { driver: 'slow' } }),
      );
      const large = `application(by:{appId:1}){components(first:100){nodes{${aliases('name', 600)}}}}`;
      // Large answers one after the other: each gives back what it took.
      for (let times = 0; times < 5; times++) expect((await ask(`{${large}}`, {}, small)).status).toBe(200);
      const asked = new Promise<void>((resolve) => {
        whenAsked = resolve;
      });
      const held = ask(
        `{${large} region(by:{regionId:"${region.regionId}"}){usage{usedCpuCores}}}`,
        {},
        small,
      );
      await asked;
      const refused = refusalOf(await ask(`{${large}}`, {}, small), 'UNAVAILABLE', 503);
      expect(refused.headers['retry-after']).toMatch(/^\d+$/);
      // Small answers need none of it.
      expect((await ask('{viewer{user{email}}}', {}, small)).body.errors).toBeUndefined();
      for (const answer of waiting.splice(0)) answer();
      await held;
      expect((await ask(`{${large}}`, {}, small)).status).toBe(200);
    } finally {
      await small.close();
    }
  });
});
