import { describe, expect, it } from 'vitest';
import { issue } from '../../support/certificates.ts';
import { unique } from '../../support/fixtures.ts';
import { once } from '../../support/once.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

/** A team with a web server on http and https, and a database. */
async function createExposed(databases = 1) {
  const team = await trellis.createTeam();
  const region = await trellis.createRegion();
  const place = { team: { teamId: team.teamId }, region: { regionId: region.regionId } };
  await trellis.succeed('openTeamRegion', place, '__typename');
  const { appId } = await trellis.createApplication({ team, region });
  const web = await trellis.createComponent(appId, { name: 'Web', alias: unique('web') });
  const plain = await trellis.addPort(web.componentId, 8080);
  await open(plain.id);
  const name = unique('shop');
  const { pem, key } = await issue({ names: [`${name}.example.com`] });
  const { certificate } = await trellis.succeed(
    'addCertificate',
    { team: place.team, name, chain: pem, key },
    'certificate { uid }',
  );
  await trellis.succeed(
    'createHttpRule',
    {
      application: { appId },
      component: { componentId: web.componentId },
      portNumber: 8080,
      domain: `${name}.example.com`,
      certificate: { certificateId: certificate.uid },
    },
    '__typename',
  );
  const ports = [];
  const alias = unique('orders');
  const database = await trellis.createComponent(appId, { name: 'Orders', alias });
  for (let index = 0; index < databases; index++) {
    const port = await trellis.addPort(database.componentId, 3306 + index, { protocol: 'MYSQL' });
    await open(port.id);
    ports.push(port.id);
  }
  return { team, region, appId, web, plain, name, alias, ports };
}

const open = (id: string, token?: string) =>
  trellis.succeed('openOuterService', { port: { id } }, 'port { isOuter }', token);
const close = (id: string) => trellis.succeed('closeOuterService', { port: { id } }, 'port { isOuter }');

const rule = `accessUrl isPublished component { name } port { protocol } region { servesAddresses }
  publication { action at actor { __typename ... on User { email } } }`;
const tcpRules = `tcpRules { totalCount nodes { endpoint ${rule} } }`;
const lists = `httpRules { totalCount nodes { domain scheme certificate { expiresAt } ${rule} } } ${tcpRules}`;

describe('what is exposed', () => {
  it('has every address with its certificate, and who opened it and when', async () => {
    const before = new Date().toISOString();
    const { team, region, web, name } = await createExposed();
    const { team: found } = await trellis.data(`{ team(by: { teamId: "${team.teamId}" }) { ${lists} } }`);
    const publication = (action: string) => ({
      action,
      at: expect.any(String),
      actor: { __typename: 'User', email: 'admin@trellis.example' },
    });
    const shared = { isPublished: true, region: { servesAddresses: false } };
    const domain = `8080.${web.alias}.${team.name}.${region.name}.apps.example`;
    expect(found.httpRules.nodes).toEqual([
      {
        ...shared,
        domain,
        accessUrl: `http://${domain}/`,
        scheme: 'HTTP',
        certificate: null,
        component: { name: 'Web' },
        port: { protocol: 'HTTP' },
        publication: publication('http_rule.create'),
      },
      {
        ...shared,
        domain: `${name}.example.com`,
        accessUrl: `https://${name}.example.com/`,
        scheme: 'HTTPS',
        certificate: { expiresAt: expect.any(String) },
        component: { name: 'Web' },
        port: { protocol: 'HTTP' },
        publication: publication('http_rule.create'),
      },
    ]);
    expect(found.tcpRules.nodes).toEqual([
      {
        ...shared,
        endpoint: '0.0.0.0:30000',
        accessUrl: `${region.name}.tcp.example:30000`,
        component: { name: 'Orders' },
        port: { protocol: 'MYSQL' },
        publication: publication('tcp_rule.create'),
      },
    ]);
    expect(found.tcpRules.nodes[0].publication.at >= before).toBe(true);
  });

  it('says who opened an address again, and nobody while it is closed', async () => {
    const { team, ports, plain } = await createExposed();
    const developer = await trellis.createMember(team.teamId, 'DEVELOPER');
    const read = async () =>
      (await trellis.data(`{ team(by: { teamId: "${team.teamId}" }) { ${lists} } }`)).team;
    for (const id of [ports[0]!, plain.id]) await close(id);
    const closed = await read();
    for (const { isPublished, publication } of [...closed.httpRules.nodes, ...closed.tcpRules.nodes])
      expect([isPublished, publication]).toEqual([false, null]);
    for (const id of [ports[0]!, plain.id]) await open(id, developer.token);
    const opened = await read();
    const actor = { __typename: 'User', email: developer.email };
    expect(opened.tcpRules.nodes[0].publication).toMatchObject({ action: 'tcp_rule.publish', actor });
    for (const { publication } of opened.httpRules.nodes)
      expect(publication).toMatchObject({ action: 'http_rule.publish', actor });
  });

  it('is the same for all teams of the caller, and for no other', async () => {
    const [one, other] = [await createExposed(), await createExposed()];
    const member = await trellis.createMember(one.team.teamId, 'VIEWER');
    const query = '{ tcpRules { totalCount nodes { component { alias } } } }';
    const alone = await trellis.data(query, {}, member.token);
    expect(alone.tcpRules).toEqual({ totalCount: 1, nodes: [{ component: { alias: one.alias } }] });
    await trellis.succeed(
      'addTeamMember',
      { team: { teamId: other.team.teamId }, user: { email: member.email }, role: 'VIEWER' },
      '__typename',
    );
    expect((await trellis.data(query, {}, member.token)).tcpRules.totalCount).toBe(2);
  });

  it('has the host that clients use, also among the addresses of the component', async () => {
    const { appId, region } = await createExposed(0);
    const { componentId } = await trellis.createComponent(appId, { name: 'Queue' });
    const port = await trellis.addPort(componentId, 5672, { protocol: 'TCP' });
    await open(port.id);
    for (const endpoint of ['203.0.113.7:5672', '[2001:db8::7]:5672', '[::]:31000']) {
      const rule = { application: { appId }, component: { componentId }, portNumber: 5672, endpoint };
      await trellis.succeed('createTcpRule', rule, '__typename');
    }
    const expected = [
      `${region.name}.tcp.example:30000`,
      '203.0.113.7:5672',
      '[2001:db8::7]:5672',
      `${region.name}.tcp.example:31000`,
    ];
    const { component } = await trellis.data(
      `{ component(by: { componentId: "${componentId}" }) { accessUrls gatewayRules { tcp { nodes { accessUrl } } } } }`,
    );
    expect(component.accessUrls).toEqual(expected);
    expect(component.gatewayRules.tcp.nodes).toEqual(expected.map((accessUrl) => ({ accessUrl })));
  });
});

describe('the filters of what is exposed', () => {
  it('find rules by address, component, protocol, certificate and whether they are published', async () => {
    const { team, name, alias, ports } = await createExposed(2);
    await close(ports[1]!);
    const count = async (list: string) => {
      const query = `{ team(by: { teamId: "${team.teamId}" }) { list: ${list} { totalCount nodes { uid } } } }`;
      const found = (await trellis.data(query)).team.list;
      expect(found.nodes).toHaveLength(found.totalCount);
      return found.totalCount;
    };
    for (const [args, http] of [
      ['search: "EXAMPLE.com"', 1],
      [`search: "${name}", hasCertificate: false`, 0],
      ['hasCertificate: true', 1],
      ['hasCertificate: false', 1],
      ['isPublished: true', 2],
      ['isPublished: false', 0],
    ] as const)
      expect(await count(`httpRules(${args})`), args).toBe(http);
    for (const [args, tcp] of [
      [`search: "${alias.toUpperCase()}"`, 2],
      ['search: "orders"', 2],
      ['search: "30001"', 1],
      ['search: "0.0.0"', 2],
      ['search: "web"', 0],
      ['protocol: MYSQL', 2],
      ['protocol: TCP', 0],
      ['isPublished: true', 1],
      ['isPublished: false, protocol: MYSQL', 1],
    ] as const)
      expect(await count(`tcpRules(${args})`), args).toBe(tcp);
  });

  once('take as many statements for many rules as for few', async () => {
    const [few, many] = [await createExposed(1), await createExposed(6)];
    // Otherwise the record of a token's use can be among the statements.
    const never = { lastUsedAt: new Date(Date.now() + 3_600_000) };
    await trellis.services.db.transaction((tx) => tx.accessToken.updateMany({ data: never }));
    const statementsFor = async ({ team }: typeof few) => {
      // Of two lists in one request, what their rules share is read at once only if both lists arrive at once.
      const query = `{ team(by: { teamId: "${team.teamId}" }) { ${tcpRules} } }`;
      const counts: number[] = [];
      let data: any;
      for (let time = 0; time < 4; time++) {
        trellis.statements.length = 0;
        data = await trellis.data(query);
        counts.push(trellis.statements.length);
      }
      // The first reads rights, and so does one that follows late news of a change that was made before.
      return [data.team.tcpRules.totalCount, Math.min(...counts)];
    };
    const [[one, fewStatements], [six, manyStatements]] = [
      await statementsFor(few),
      await statementsFor(many),
    ];
    expect([one, six]).toEqual([1, 6]);
    expect(manyStatements).toBe(fewStatements);
  });
});
