import { print } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { SearchQuery } from '../../../src/console/documents/search.ts';
import { createComponents } from '../../support/deploys.ts';
import { type Place, unique } from '../../support/fixtures.ts';
import { planOf } from '../../support/plan.ts';
import { databaseKind, useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
/** Names that no other object of the database has. */
const shopName = unique('Basket');
const otherName = unique('Orders');
let place: Place;
let shop: { appId: number; id: string };
let other: { appId: number; id: string };
let api: { componentId: string; id: string };
let domain: string;
let endpoint: string;

beforeAll(async () => {
  place = await trellis.createPlace();
  [shop, other] = [
    await trellis.createApplication(place, shopName),
    await trellis.createApplication(place, otherName),
  ];
  api = await trellis.createComponent(shop.appId, { name: 'Api', image: 'registry.example/shop/edge:2.7' });
  for (const { appId } of [shop, other]) {
    for (const name of ['api-3', 'worker'])
      await trellis.createComponent(appId, { name, image: 'registry.example/base:1', alias: unique('c') });
  }
  const port = await trellis.addPort(api.componentId, 9555);
  const opened = await trellis.succeed(
    'openOuterService',
    { port: { id: port.id } },
    'port { gatewayRules { http { nodes { domain } } } }',
  );
  [{ domain }] = opened.port.gatewayRules.http.nodes;
  const { port: raw } = await trellis.succeed(
    'addPort',
    { component: { componentId: api.componentId }, number: 6379, protocol: 'TCP' },
    'port { id }',
  );
  const tcp = await trellis.succeed(
    'openOuterService',
    { port: { id: raw.id } },
    'port { gatewayRules { tcp { nodes { accessUrl } } } }',
  );
  endpoint = tcp.port.gatewayRules.tcp.nodes[0].accessUrl;
  // Of a team that the people below do not belong to.
  const elsewhere = await trellis.createPlace();
  const foreign = await trellis.createApplication(elsewhere, `${shopName} elsewhere`);
  await trellis.createComponent(foreign.appId, { name: 'api-3', image: 'registry.example/shop/edge:2.7' });
});

const lists = {
  applications: 'name',
  components: 'name',
  httpRules: 'name: domain',
  tcpRules: 'name: accessUrl',
};

async function found(words: string, token?: string) {
  const selections = Object.entries(lists).map(
    ([list, name]) => `${list}(first: 100, words: $words) { totalCount nodes { ${name} } }`,
  );
  const data = await trellis.data(
    `query Words($words: String!) { ${selections.join('\n')} }`,
    { words },
    token,
  );
  return Object.fromEntries(
    Object.keys(lists).map((list) => {
      const { totalCount, nodes } = data[list];
      expect(nodes).toHaveLength(totalCount);
      return [list, nodes.map(({ name }: { name: string }) => name)];
    }),
  );
}
const member = () => trellis.createMember(place.team.teamId, 'VIEWER');
const nothing = { applications: [], components: [], httpRules: [], tcpRules: [] };

describe('a search for words', () => {
  it('finds components by words in any order and case, of which one is in the component itself', async () => {
    const { token } = await member();
    for (const words of [
      `${shopName} api-3`,
      `API-3 ${shopName.toUpperCase()}`,
      ` ap-3 i-3 ${shopName}`.replace('ap-3', 'api'),
      `api-3 ${shopName} ${place.team.name}`,
    ])
      expect(await found(words, token), words).toMatchObject({ components: ['api-3'] });
    expect((await found('api-3', token)).components).toEqual(['api-3', 'api-3']);
    // An application is found by its name. What is in it is not.
    expect(await found(shopName, token)).toEqual({ ...nothing, applications: [shopName] });
    expect((await found(`${shopName} ${place.team.name}`, token)).applications).toEqual([shopName]);
    expect(await found(`api-3 ${unique('nowhere')}`, token)).toEqual(nothing);
  });

  it('finds components by image, port and address', async () => {
    const { token } = await member();
    for (const words of [
      'edge:2.7',
      'shop/EDGE',
      '9555',
      '6379',
      domain,
      `http://${domain}/`,
      endpoint,
      `edge ${shopName} 9555`,
    ])
      expect((await found(words, token)).components, words).toEqual(['Api']);
    expect((await found('957', token)).components).toEqual([]);
  });

  it('finds rules by domain and by endpoint, also as they are copied', async () => {
    const { token } = await member();
    for (const words of [
      domain,
      `${domain.split('.')[1]!} ${shopName}`,
      `http://${domain}/`,
      `https://${domain}`,
    ])
      expect((await found(words, token)).httpRules, words).toEqual([domain]);
    expect((await found(`${domain}/nowhere`, token)).httpRules).toEqual([]);
    const [, port] = endpoint.split(':');
    for (const words of [endpoint, port!, `${port} api`])
      expect((await found(words, token)).tcpRules, words).toEqual([endpoint]);
  });

  it('finds and counts nothing that is hidden from the caller', async () => {
    const person = await trellis.createPerson();
    expect(await found(shopName, person.token)).toEqual(nothing);
    const input = { team: { teamId: place.team.teamId }, user: { userId: person.userId }, role: 'VIEWER' };
    await trellis.succeed(
      'addTeamMember',
      { ...input, applications: [{ appId: other.appId }] },
      '__typename',
    );
    expect((await found('api-3', person.token)).components).toEqual(['api-3']);
    for (const words of [shopName, 'edge:2.7', '9555', domain, endpoint, `api-3 ${shopName}`])
      expect(await found(words, person.token), words).toEqual(nothing);
    // A token for one component.
    const { token } = await member();
    const narrow = await trellis.succeed(
      'createAccessToken',
      { name: 'narrow', grants: [{ actions: ['READ'], component: { id: api.id } }] },
      'secret',
      token,
    );
    expect((await found('registry.example', narrow.secret)).components).toEqual(['Api']);
  });

  it('says which words are wrong', async () => {
    for (const words of ['a b c d e f g', 'a\u0000', 'x'.repeat(201)]) {
      const { errors } = await trellis.graphql(
        `query($words: String!) { components(words: $words) { totalCount } }`,
        { words },
      );
      expect(errors![0]!.extensions.code).toBe('INVALID_INPUT');
    }
    expect(
      (await trellis.data('{ components(words: "a b c d e q7q7") { totalCount } }')).components.totalCount,
    ).toBe(0);
    const all = await trellis.data(
      '{ one: components { totalCount } two: components(words: " ") { totalCount } }',
    );
    expect(all.two).toEqual(all.one);
  });

  it('takes as many statements for many components as for few, and reads of others an index alone', async () => {
    const { token } = await member();
    const search = async (text: string) => {
      trellis.statements.length = 0;
      await trellis.data(print(SearchQuery), { text, rest: '', isCommand: false }, token);
      return trellis.statements.filter((sql) => sql.startsWith('SELECT'));
    };
    await search(`api-3 ${shopName}`);
    const few = await search(`api-3 ${otherName}`);
    const names = Array.from({ length: 40 }, (_, index) => `many-${index}`);
    await createComponents(trellis, other.appId, Object.fromEntries(names.map((name) => [name, {}])));
    const many = await search(`many ${otherName}`);
    expect(many.length).toBe(few.length);
    const texts = many.filter((sql) => sql.includes('"component" t ') && sql.includes('"folded"'));
    expect(texts).toHaveLength(2);
    for (const sql of texts) {
      expect(await planOf(trellis, sql)).toMatch(
        databaseKind === 'sqlite'
          ? /SEARCH t USING COVERING INDEX component_search/
          : /Index Only Scan using component_search/,
      );
    }
  });

  it('has an index for the longest names and images', async () => {
    const name = unique('long').padEnd(128, '\u{4e00}');
    const image = `registry.example/${'a/'.repeat(60)}long`.padEnd(200, 'b');
    await trellis.createComponent(other.appId, { name, image, alias: unique('long') });
    const { token } = await member();
    expect((await found(image.slice(-90), token)).components).toEqual([name]);
  });
});
