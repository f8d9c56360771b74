import { describe, expect, it } from 'vitest';
import { insertMany } from '../../../src/db/write/bulk.ts';
import { maxHttpRules, maxTcpRules } from '../../../src/domain/gateway-rule/model.ts';
import { idOfType } from '../../../src/kernel/global-id.ts';
import { type All, unique } from '../../support/fixtures.ts';
import { plan, tryApply, tryPlan } from '../../support/manifests.ts';
import { installInput } from '../../support/surfaces-world.ts';
import { ringTemplate } from '../../support/templates.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

const target = (all: All, portNumber = 8080) => ({
  application: { appId: all.application.appId },
  component: { componentId: all.component.componentId },
  portNumber,
});
const open = (port: object) => trellis.succeed('openOuterService', { port }, 'port { id isOuter }');
const close = (port: object) => trellis.succeed('closeOuterService', { port }, 'port { id isOuter }');

const rules = `gatewayRules {
  http { totalCount nodes { uid domain path isDefault isPublished weight scheme port { number } } }
  tcp { totalCount nodes { uid endpoint isDefault isPublished port { number protocol } } }
}`;
const rulesOf = async (all: All) => {
  const { component } = await trellis.data(
    `query Q($c: ComponentRef!) { component(by: $c) { accessUrls ${rules} } }`,
    {
      c: { componentId: all.component.componentId },
    },
  );
  return {
    urls: component.accessUrls,
    http: component.gatewayRules.http.nodes,
    tcp: component.gatewayRules.tcp.nodes,
  };
};

/** A port of another team in the same region. */
async function createRival({ region }: All) {
  const { team } = await trellis.createPlace();
  await trellis.succeed(
    'openTeamRegion',
    { team: { teamId: team.teamId }, region: { name: region.name } },
    'team { uid }',
  );
  const application = await trellis.createApplication({ team, region });
  const component = await trellis.createComponent(application.appId);
  await trellis.addPort(component.componentId, 8080);
  return {
    application: { appId: application.appId },
    component: { componentId: component.componentId },
    portNumber: 8080,
  };
}

describe('default rules', () => {
  it('of an HTTP port are created, unpublished and published again on the same domain', async () => {
    const all = await trellis.createAll();
    const domain = `8080.${all.component.alias}.${all.team.name}.${all.region.name}.apps.example`;
    await open({ id: all.port.id });
    const first = await rulesOf(all);
    expect(first.http).toMatchObject([
      { domain, path: '/', isDefault: true, isPublished: true, weight: 100, scheme: 'HTTP' },
    ]);
    expect(first.urls).toEqual([`http://${domain}/`]);
    await close({ id: all.port.id });
    expect(await rulesOf(all)).toMatchObject({
      urls: [],
      http: [{ uid: first.http[0].uid, isPublished: false }],
    });
    await open({ id: all.port.id });
    expect(await rulesOf(all)).toEqual(first);
  });

  it('and others of HTTP ports have a limit in an application', async () => {
    const all = await trellis.createAll();
    const { componentId } = all.component;
    const portId = Number(idOfType('Port', all.port.id));
    const place = {
      regionId: all.region.regionId,
      applicationId: all.application.appId,
      componentId,
      portId,
    };
    const rule = { ...place, isDefault: false, isPublished: false, createdAt: new Date() };
    const at = (index: number) => ({
      key: `${unique('rule')}-${index}`,
      domain: `d${index}.${all.team.name}.example`,
    });
    const rules = Array.from({ length: maxHttpRules - 1 }, (_, index) => ({ ...rule, ...at(index) }));
    const { db } = trellis.services;
    await db.transaction((tx) => insertMany({ context: { db }, tx }, 'HttpRule', rules));
    const created = (domain: string) =>
      trellis.attempt('createHttpRule', {
        ...target(all, 8080),
        domain: `${domain}.${all.team.name}.example`,
      });
    expect(await created('last')).toMatchObject({ __typename: 'CreateHttpRulePayload' });
    const full = { code: 'CONFLICT', message: expect.stringContaining(`The limit is ${maxHttpRules}.`) };
    expect(await created('more')).toMatchObject(full);
    const more = `more.${all.team.name}.example`;
    const routes = `routes: [{ domain: ${more}, component: ${all.component.alias}, port: 8080 }]\n`;
    expect(await tryApply(trellis, all, `application: ${all.application.name}\n${routes}`)).toMatchObject(
      full,
    );
  });

  it('of other ports leave most ports of the region to other teams', async () => {
    const all = await trellis.createAll();
    const { componentId } = all.component;
    for (const number of [1, 2]) await trellis.addPort(componentId, number, { protocol: 'TCP' });
    const portId = Number(idOfType('Port', all.port.id));
    const at = (index: number) => ({ key: unique('rule'), portNumber: 50_000 + index });
    const rule = { regionId: all.region.regionId, applicationId: all.application.appId, componentId, portId };
    const common = {
      ...rule,
      address: '0.0.0.0',
      isDefault: false,
      isPublished: false,
      createdAt: new Date(),
    };
    const data = Array.from({ length: maxTcpRules - 1 }, (_, index) => ({ ...common, ...at(index) }));
    await trellis.services.db.transaction((tx) => tx.tcpRule.createMany({ data }));
    const opened = (of: Pick<All, 'component'>, number: number) => {
      const port = { at: { component: { componentId: of.component.componentId }, number } };
      return trellis.attempt('openOuterService', { port });
    };
    expect(await opened(all, 1)).toMatchObject({ __typename: 'OpenOuterServicePayload' });
    const full = { code: 'CONFLICT', message: expect.stringContaining(`The limit is ${maxTcpRules}.`) };
    expect(await opened(all, 2)).toMatchObject(full);
    const endpoint = { ...target(all, 2), endpoint: '0.0.0.0:60000' };
    expect(await trellis.attempt('createTcpRule', endpoint)).toMatchObject(full);
    const routes = `routes: [{ endpoint: "0.0.0.0:60000", component: ${all.component.alias}, port: 2 }]\n`;
    expect(await tryApply(trellis, all, `application: ${all.application.name}\n${routes}`)).toMatchObject({
      code: 'CONFLICT',
    });
    const theirs = await createRival(all);
    await trellis.addPort(theirs.component.componentId, 1, { protocol: 'TCP' });
    const port = { at: { component: theirs.component, number: 1 } };
    expect(await trellis.attempt('openOuterService', { port })).toMatchObject({
      __typename: 'OpenOuterServicePayload',
    });
  });

  it('of other ports use the first free TCP port of the region', async () => {
    const all = await trellis.createAll();
    for (const number of [1, 2, 3])
      await trellis.addPort(all.component.componentId, number, { protocol: 'TCP' });
    const at = (number: number) => ({
      at: { component: { componentId: all.component.componentId }, number },
    });
    for (const number of [1, 2, 3]) await open(at(number));
    expect((await rulesOf(all)).urls).toEqual(
      [30000, 30001, 30002].map((port) => `${all.region.name}.tcp.example:${port}`),
    );
    // What is closed keeps its address, what is deleted gives it back.
    await close(at(1));
    await trellis.succeed('deletePort', { port: at(2) }, 'port { number }');
    await trellis.addPort(all.component.componentId, 4, { protocol: 'UDP' });
    await open(at(4));
    await open(at(1));
    expect(
      (await rulesOf(all)).tcp.map((rule: any) => [rule.port.number, rule.endpoint, rule.port.protocol]),
    ).toEqual([
      [1, '0.0.0.0:30000', 'TCP'],
      [3, '0.0.0.0:30002', 'TCP'],
      [4, '0.0.0.0:30001', 'UDP'],
    ]);
  });

  it('have their addresses in the plan of opening and closing', async () => {
    const all = await trellis.createAll();
    await trellis.addPort(all.component.componentId, 1, { protocol: 'TCP' });
    const at = { at: { component: { componentId: all.component.componentId }, number: 1 } };
    const plan = async (mutation: string, port: object) =>
      (await trellis.succeed(mutation, { port, dryRun: true }, 'plan { action name }')).plan;
    expect(await plan('openOuterService', at)).toContainEqual({
      action: 'tcp_rule.create',
      name: '0.0.0.0:30000',
    });
    await open(at);
    expect(await plan('closeOuterService', at)).toContainEqual({
      action: 'tcp_rule.unpublish',
      name: '0.0.0.0:30000',
    });
    await trellis.succeed(
      'createHttpRule',
      { ...target(all), domain: 'plan.example', path: '/api', opensPort: true },
      'rule { uid }',
    );
    expect(await plan('closeOuterService', { id: all.port.id })).toContainEqual({
      action: 'http_rule.unpublish',
      name: 'plan.example/api',
    });
  });

  it('change with the protocol family', async () => {
    const all = await trellis.createAll();
    await open({ id: all.port.id });
    await close({ id: all.port.id });
    await trellis.succeed(
      'changePortProtocol',
      { port: { id: all.port.id }, protocol: 'MYSQL' },
      'port { protocol }',
    );
    expect(await rulesOf(all)).toMatchObject({ http: [], tcp: [] });
    await open({ id: all.port.id });
    expect((await rulesOf(all)).tcp).toMatchObject([{ isDefault: true, port: { protocol: 'MYSQL' } }]);
  });

  it('use 20 different ports for 20 concurrent requests', async () => {
    const place = await trellis.createPlace();
    const application = await trellis.createApplication(place);
    const ports: string[] = [];
    for (let c = 0; c < 2; c++) {
      const { componentId } = await trellis.createComponent(application.appId);
      for (let n = 1; n <= 10; n++)
        ports.push((await trellis.addPort(componentId, n, { protocol: 'TCP' })).id);
    }
    // A change that waits too long for the lock of the others is refused on a slow machine, and a client repeats it.
    const openPatiently = async (id: string): Promise<void> => {
      const isOpen = await open({ id }).then(
        () => true,
        (error) => {
          if (!String(error).includes('"UNAVAILABLE"')) throw error;
          return false;
        },
      );
      if (!isOpen) await openPatiently(id);
    };
    await Promise.all(ports.map(openPatiently));
    const { application: read } = await trellis.data(
      `{ application(by: { appId: ${application.appId} }) { gatewayRules { tcp(first: 100) { nodes { endpoint } } } } }`,
    );
    const endpoints = read.gatewayRules.tcp.nodes
      .map((rule: any) => Number(rule.endpoint.split(':')[1]))
      .sort();
    expect(endpoints).toEqual(Array.from({ length: 20 }, (_, index) => 30_000 + index));
  });
});

describe('createHttpRule', () => {
  it('stores every field of the input', async () => {
    const all = await trellis.createAll();
    const domain = `${unique('Www')}.Example`;
    const cluster = { certificateIssuer: 'letsencrypt' };
    await trellis.succeed('updateRegion', { region: { name: all.region.name }, cluster }, '__typename');
    const { rule, application } = await trellis.succeed(
      'createHttpRule',
      {
        ...target(all),
        domain,
        path: '/shop',
        domainCookie: 'a=1;b=2',
        domainHeader: 'X-Mode=test',
        pathRewrite: true,
        rewriteRules: [{ regex: '^/a', replacement: '/b', flag: 'last' }],
        weight: 30,
        extensions: ['round:robin'],
        autoSsl: true,
        autoSslConfig: 'issuer',
        configuration: {
          setHeaders: [{ key: 'X-Forwarded', value: 'yes' }],
          readTimeoutSeconds: 10,
          isBuffered: true,
        },
      },
      `rule { key domain domainKind path domainCookie domainHeader weight hasConditions isDefault isPublished scheme extensions
        autoSsl autoSslConfig pathRewrite rewriteRules { regex replacement flag } certificate { name } region { name } component { alias } port { number }
        configuration { bodySizeMB bufferCount bufferSizeKB isBuffered connectTimeoutSeconds readTimeoutSeconds
          sendTimeoutSeconds setHeaders { key value } } }
       application { ${rules} }`,
    );
    expect(rule).toEqual({
      key: expect.stringMatching(/^[0-9a-f]{32}$/),
      domain: domain.toLowerCase(),
      domainKind: 'EXACT',
      path: '/shop',
      domainCookie: 'a=1;b=2',
      domainHeader: 'X-Mode=test',
      weight: 30,
      hasConditions: true,
      isDefault: false,
      isPublished: false,
      scheme: 'HTTPS',
      extensions: ['round:robin'],
      autoSsl: true,
      autoSslConfig: 'issuer',
      pathRewrite: true,
      rewriteRules: [{ regex: '^/a', replacement: '/b', flag: 'last' }],
      certificate: null,
      region: { name: all.region.name },
      component: { alias: all.component.alias },
      port: { number: 8080 },
      configuration: {
        bodySizeMB: 0,
        bufferCount: 4,
        bufferSizeKB: 4,
        isBuffered: true,
        connectTimeoutSeconds: 75,
        readTimeoutSeconds: 10,
        sendTimeoutSeconds: 60,
        setHeaders: [{ key: 'X-Forwarded', value: 'yes' }],
      },
    });
    expect(application.gatewayRules.http.totalCount).toBe(1);
    // Unpublished until the port is opened, which then makes no default rule.
    await open({ id: all.port.id });
    expect(await rulesOf(all)).toMatchObject({
      urls: [`https://${domain.toLowerCase()}/shop`],
      http: [{ isDefault: false, isPublished: true }],
    });
  });

  it('opens the port when told to', async () => {
    const all = await trellis.createAll();
    const { rule } = await trellis.succeed(
      'createHttpRule',
      { ...target(all), domain: `${unique('www')}.example`, opensPort: true },
      'rule { isPublished port { isOuter } }',
    );
    expect(rule).toEqual({ isPublished: true, port: { isOuter: true } });
    expect((await rulesOf(all)).http).toHaveLength(1);
  });

  it('refuses a component of another application, and a port of another component', async () => {
    const [all, other] = [await trellis.createAll(), await trellis.createAll()];
    const domain = `${unique('www')}.example`;
    const before = await trellis.counts();
    const mixed = { ...target(all), application: { appId: other.application.appId }, domain };
    expect(await trellis.attempt('createHttpRule', mixed)).toMatchObject({ code: 'NOT_FOUND' });
    const port = { ...target(all, 1), domain };
    expect(await trellis.attempt('createHttpRule', port)).toMatchObject({ code: 'NOT_FOUND' });
    await trellis.addPort(all.component.componentId, 2, { protocol: 'TCP' });
    expect(await trellis.attempt('createHttpRule', { ...target(all, 2), domain })).toMatchObject({
      code: 'CONFLICT',
    });
    const after = await trellis.counts();
    expect(after).toEqual({ ...before, port: before.port! + 1, event: before.event! + 1 });
  });

  it('reserves a domain for the first team in a region until no rule uses it', async () => {
    const all = await trellis.createAll();
    const theirs = await createRival(all);
    const domain = `${unique('www')}.example`;
    const { rule } = await trellis.succeed('createHttpRule', { ...target(all), domain }, 'rule { id }');
    const taken = await trellis.attempt('createHttpRule', {
      ...theirs,
      domain: domain.toUpperCase(),
      path: '/other',
    });
    expect(taken).toMatchObject({ code: 'CONFLICT' });
    expect(taken.message).toContain('another team');
    // In another region it is free, and here once the last rule on it is gone.
    await trellis.succeed(
      'deleteGatewayRule',
      { rule: { id: rule.id } },
      'httpRule { domain } tcpRule { uid }',
    );
    await trellis.succeed('createHttpRule', { ...theirs, domain }, 'rule { id }');
  });

  it('reserves the default domains of a team, used or not', async () => {
    const all = await trellis.createAll();
    const theirs = await createRival(all);
    const regionDomain = `${all.region.name}.apps.example`;
    const under = (owner: string) => `${owner}.${regionDomain}`;
    const own = `8080.${all.component.alias}.${under(all.team.name)}`;
    for (const domain of [own, under(all.team.name), `*.${under(all.team.name)}`, own.toUpperCase()]) {
      expect(await trellis.attempt('createHttpRule', { ...theirs, domain })).toMatchObject({
        code: 'CONFLICT',
      });
    }
    // So does the name of a team that does not exist yet, and the platform keeps the rest.
    for (const domain of [
      under(`x${all.team.name}`),
      `www.${under(unique('shop'))}`,
      regionDomain,
      `*.${regionDomain}`,
      '*.apps.example',
    ]) {
      expect(await trellis.attempt('createHttpRule', { ...theirs, domain })).toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining('belongs to the platform'),
      });
    }
    // What only ends alike is anybody's.
    const alike = { ...theirs, domain: `not-${regionDomain}` };
    expect(await trellis.attempt('createHttpRule', alike)).toMatchObject({
      __typename: 'CreateHttpRulePayload',
    });
    const made = await trellis.attempt('createHttpRule', {
      ...target(all),
      domain: `*.${under(all.team.name)}`,
    });
    expect(made).toMatchObject({ __typename: 'CreateHttpRulePayload' });
    const opened = await trellis.attempt('openOuterService', {
      port: { at: { component: { componentId: all.component.componentId }, number: 8080 } },
    });
    expect(opened).toMatchObject({ __typename: 'OpenOuterServicePayload' });
  });

  it('shares a domain and path among components, and refuses the same port twice', async () => {
    const all = await trellis.createAll();
    const other = await trellis.createComponent(all.application.appId);
    await trellis.addPort(other.componentId, 8080);
    const domain = `${unique('www')}.example`;
    await trellis.succeed('createHttpRule', { ...target(all), domain, weight: 70 }, 'rule { id }');
    const share = { ...target(all), component: { componentId: other.componentId }, domain, weight: 30 };
    await trellis.succeed('createHttpRule', share, 'rule { id }');
    expect(await trellis.attempt('createHttpRule', share)).toMatchObject({ code: 'CONFLICT' });
    await trellis.succeed('createHttpRule', { ...share, path: '/other' }, 'rule { id }');
  });

  it('creates one rule and returns 9 conflicts for 10 concurrent requests', async () => {
    const all = await trellis.createAll();
    const input = { ...target(all), domain: `${unique('www')}.example` };
    const results = await Promise.all(
      Array.from({ length: 10 }, () => trellis.attempt('createHttpRule', input)),
    );
    expect(results.filter((result) => result.__typename === 'CreateHttpRulePayload')).toHaveLength(1);
    expect(results.filter((result) => result.code === 'CONFLICT')).toHaveLength(9);
    const tcp = { ...target(all), endpoint: '10.1.1.1:443' };
    const more = await Promise.all(Array.from({ length: 10 }, () => trellis.attempt('createTcpRule', tcp)));
    expect(more.filter((result) => result.__typename === 'CreateTcpRulePayload')).toHaveLength(1);
    expect(more.filter((result) => result.code === 'CONFLICT')).toHaveLength(9);
  });
});

describe('updateHttpRule', () => {
  it('changes the given fields, and moves the domain', async () => {
    const all = await trellis.createAll();
    const [one, other] = [`${unique('a')}.example`, `${unique('b')}.example`];
    const made = await trellis.succeed(
      'createHttpRule',
      { ...target(all), domain: one, weight: 10, configuration: { setHeaders: [], readTimeoutSeconds: 5 } },
      'rule { id }',
    );
    const { rule } = await trellis.succeed(
      'updateHttpRule',
      {
        rule: made.rule,
        domain: other,
        path: '/x',
        configuration: { setHeaders: [{ key: 'A', value: 'b' }] },
      },
      'rule { domain path weight configuration { readTimeoutSeconds setHeaders { key } } }',
    );
    expect(rule).toEqual({
      domain: other,
      path: '/x',
      weight: 10,
      configuration: { readTimeoutSeconds: 5, setHeaders: [{ key: 'A' }] },
    });
    const domains = await trellis.services.db.query('SELECT name FROM domain', []);
    expect(domains.flat()).toContain(other);
    expect(domains.flat()).not.toContain(one);
    const second = await trellis.succeed('createHttpRule', { ...target(all), domain: one }, 'rule { id }');
    const clash = { rule: second.rule, domain: other, path: '/x' };
    expect(await trellis.attempt('updateHttpRule', clash)).toMatchObject({ code: 'CONFLICT' });
  });

  it('keeps what a concurrent update changes', async () => {
    const all = await trellis.createAll();
    const start = { ...target(all), domain: `${unique('www')}.example` };
    const { rule } = await trellis.succeed('createHttpRule', start, 'rule { id uid }');
    for (let round = 1; round <= 4; round++) {
      const wanted = {
        domain: `${unique('www')}.example`,
        path: `/${round}`,
        weight: round,
        domainHeader: `X-Round=${round}`,
      };
      const { domain, path, weight, domainHeader } = wanted;
      const changes = [{ domain }, { path }, { weight }, { domainHeader }];
      // Whoever starts last tends to end last.
      if (round % 2) changes.reverse();
      await Promise.all(
        changes.map((change) =>
          trellis.succeed('updateHttpRule', { rule: { id: rule.id }, ...change }, '__typename'),
        ),
      );
      const after = await trellis.services.db.query(
        `SELECT domain, path, weight, header FROM http_rule WHERE id = ${rule.uid}`,
        [],
      );
      expect(after).toEqual([[domain, path, weight, domainHeader]]);
    }
  });
});

describe('a wildcard domain', () => {
  const names = () => {
    const base = `${unique('shop')}.example`;
    return { base, wildcard: `*.${base}`, below: `a.${base}`, deeper: `b.a.${base}`, nested: `*.a.${base}` };
  };
  const claim = (from: object, domain: string) => trellis.attempt('createHttpRule', { ...from, domain });

  it('of one team covers everything below it', async () => {
    const all = await trellis.createAll();
    const theirs = await createRival(all);
    const { base, wildcard, below, deeper, nested } = names();
    expect(await claim(target(all), wildcard)).toMatchObject({ __typename: 'CreateHttpRulePayload' });
    const before = await trellis.counts();
    for (const domain of [wildcard, below, deeper, nested, below.toUpperCase()]) {
      expect(await claim(theirs, domain), domain).toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining('another team'),
      });
    }
    expect(await trellis.counts()).toEqual(before);
    for (const domain of [below, deeper, nested]) {
      expect(await claim(target(all), domain)).toMatchObject({ __typename: 'CreateHttpRulePayload' });
    }
    expect(await claim(theirs, base)).toMatchObject({ __typename: 'CreateHttpRulePayload' });
    expect(await claim(theirs, `x${base}`)).toMatchObject({ __typename: 'CreateHttpRulePayload' });
  });

  it('is refused over a domain of another team, and so is moving a rule there', async () => {
    const all = await trellis.createAll();
    const theirs = await createRival(all);
    const { wildcard, below, deeper, nested } = names();
    await trellis.succeed('createHttpRule', { ...target(all), domain: deeper }, 'rule { id }');
    for (const domain of [wildcard, nested]) {
      expect(await claim(theirs, domain)).toMatchObject({ code: 'CONFLICT' });
    }
    const other = { ...theirs, domain: `${unique('www')}.example` };
    const { rule } = await trellis.succeed('createHttpRule', other, 'rule { id }');
    expect(await trellis.attempt('updateHttpRule', { rule, domain: wildcard })).toMatchObject({
      code: 'CONFLICT',
    });
    expect(await claim(theirs, below)).toMatchObject({ __typename: 'CreateHttpRulePayload' });
  });

  it('and a name below it go to one team when two request them at the same time', async () => {
    const all = await trellis.createAll();
    const theirs = await createRival(all);
    for (let round = 0; round < 5; round++) {
      const { wildcard, below } = names();
      const asked = [claim(target(all), wildcard), claim(theirs, below)];
      if (round % 2) asked.reverse();
      const results = await Promise.all(asked);
      expect(results.map((result) => result.code ?? 'made').sort()).toEqual(['CONFLICT', 'made']);
    }
  });
});

describe('a default rule', () => {
  it.each([
    ['domain', () => ({ domain: `${unique('production')}.example` })],
    ['path', () => ({ path: '/api' })],
  ])('becomes a custom rule when its %s changes, and is not removed with a port', async (_, change) => {
    const all = await trellis.createAll();
    await open({ id: all.port.id });
    const [first] = (await rulesOf(all)).http;
    const input = { rule: { httpRuleId: first.uid }, weight: 50 };
    const kept = await trellis.succeed('updateHttpRule', input, 'rule { isDefault }');
    expect(kept.rule.isDefault).toBe(true);
    const chosen = change();
    const { rule } = await trellis.succeed(
      'updateHttpRule',
      { rule: input.rule, ...chosen },
      'rule { isDefault isPublished domain path }',
    );
    expect(rule).toMatchObject({ ...chosen, isDefault: false, isPublished: true });
    // Opening a port that is open changes nothing.
    await open({ id: all.port.id });
    expect((await rulesOf(all)).http).toHaveLength(1);
    const refused = await trellis.attempt('deletePort', { port: { id: all.port.id } });
    expect(refused).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(`${rule.domain}${rule.path}`),
    });
    await close({ id: all.port.id });
    await open({ id: all.port.id });
    expect((await rulesOf(all)).http).toMatchObject([
      { domain: rule.domain, path: rule.path, isDefault: false, isPublished: true },
      { domain: first.domain, path: '/', isDefault: true, isPublished: true },
    ]);
    // Once: a default rule that somebody deletes stays away.
    const [, fresh] = (await rulesOf(all)).http;
    await trellis.succeed('deleteGatewayRule', { rule: { httpRuleId: fresh.uid } }, 'httpRule { uid }');
    await close({ id: all.port.id });
    await open({ id: all.port.id });
    expect((await rulesOf(all)).http).toHaveLength(1);
  });

  it('of a TCP port becomes a custom rule when its endpoint changes', async () => {
    const all = await trellis.createAll();
    const port = await trellis.addPort(all.component.componentId, 5432, { protocol: 'TCP' });
    await open({ id: port.id });
    const [first] = (await rulesOf(all)).tcp;
    const endpoint = '192.0.2.44:5432';
    const { rule } = await trellis.succeed(
      'updateTcpRule',
      { rule: { tcpRuleId: first.uid }, endpoint },
      'rule { endpoint isDefault }',
    );
    expect(rule).toEqual({ endpoint, isDefault: false });
    expect(await trellis.attempt('deletePort', { port: { id: port.id } })).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(endpoint),
    });
    await close({ id: port.id });
    await open({ id: port.id });
    expect((await rulesOf(all)).tcp).toMatchObject([
      { endpoint, isDefault: false },
      { endpoint: '0.0.0.0:30000', isDefault: true },
    ]);
  });
});

describe('updateTcpRule', () => {
  it('changes the given fields, on a free endpoint', async () => {
    const all = await trellis.createAll();
    await trellis.addPort(all.component.componentId, 5432, { protocol: 'TCP' });
    const create = (endpoint: string) =>
      trellis.succeed(
        'createTcpRule',
        { ...target(all, 5432), endpoint, mappedAddress: '203.0.113.9:5432' },
        'rule { id mappedAddress }',
      );
    const [one, other] = [await create('192.0.2.7:15432'), await create('192.0.2.8:15432')];
    expect(one.rule.mappedAddress).toBe('203.0.113.9:5432');
    const selection = 'rule { endpoint isDefault mappedAddress extensions { key value } }';
    const update = (input: object) =>
      trellis.attempt('updateTcpRule', { rule: { id: one.rule.id }, ...input }, selection);
    for (const endpoint of ['192.0.2.8:15432', '[::ffff:192.0.2.8]:15432']) {
      expect(await update({ endpoint })).toMatchObject({ code: 'CONFLICT' });
    }
    expect(await update({ endpoint: '127.0.0.1:80' })).toMatchObject({ code: 'INVALID_INPUT' });
    expect(await update({ endpoint: '[2001:db8::7]:15432' })).toMatchObject({
      rule: { endpoint: '[2001:db8::7]:15432', mappedAddress: '203.0.113.9:5432', extensions: [] },
    });
    const changed = { mappedAddress: '[2001:DB8::1]:99', extensions: [{ key: 'a', value: 'b' }] };
    expect(await update(changed)).toMatchObject({
      rule: { ...changed, mappedAddress: '[2001:db8::1]:99', endpoint: '[2001:db8::7]:15432' },
    });
    expect(await update({ mappedAddress: null })).toMatchObject({ rule: { mappedAddress: null } });
    await trellis.succeed(
      'deleteGatewayRule',
      { rule: { id: other.rule.id } },
      'tcpRule { uid } httpRule { uid }',
    );
    expect(await update({ endpoint: '192.0.2.8:15432' })).toMatchObject({
      rule: { endpoint: '192.0.2.8:15432' },
    });
  });

  it('keeps an address and port to one rule under concurrent requests', async () => {
    const all = await trellis.createAll();
    await trellis.addPort(all.component.componentId, 5432, { protocol: 'TCP' });
    for (let round = 0; round < 4; round++) {
      const at = 31_000 + round;
      const { rule } = await trellis.succeed(
        'createTcpRule',
        { ...target(all, 5432), endpoint: `192.0.2.7:${32_000 + round}` },
        'rule { id }',
      );
      const results = await Promise.all([
        trellis.attempt('updateTcpRule', { rule: { id: rule.id }, endpoint: `0.0.0.0:${at}` }),
        trellis.attempt('createTcpRule', { ...target(all, 5432), endpoint: `192.0.2.8:${at}` }),
        trellis.attempt('createTcpRule', { ...target(all, 5432), endpoint: `[::]:${at}` }),
      ]);
      const there = await trellis.services.db.query(
        `SELECT address FROM tcp_rule WHERE port_number = ${at}`,
        [],
      );
      expect(there).toHaveLength(1);
      expect(results.filter((result) => result.code === 'CONFLICT')).toHaveLength(2);
    }
  });
});

describe('createTcpRule', () => {
  it('opens its port, and keeps every address to one rule', async () => {
    const all = await trellis.createAll();
    await trellis.addPort(all.component.componentId, 5432, { protocol: 'TCP' });
    const { rule, application } = await trellis.succeed(
      'createTcpRule',
      { ...target(all, 5432), endpoint: '192.0.2.7:45432', extensions: [{ key: 'a', value: 'b' }] },
      `rule { endpoint isPublished isDefault extensions { key value } port { isOuter protocol } } application { ${rules} }`,
    );
    expect(rule).toEqual({
      endpoint: '192.0.2.7:45432',
      isPublished: true,
      isDefault: false,
      extensions: [{ key: 'a', value: 'b' }],
      port: { isOuter: true, protocol: 'TCP' },
    });
    expect(application.gatewayRules.tcp.totalCount).toBe(1);
    expect((await rulesOf(all)).urls).toEqual(['192.0.2.7:45432']);
    const to = (endpoint: string) => trellis.attempt('createTcpRule', { ...target(all, 5432), endpoint });
    expect(await to('192.0.2.7:45432')).toMatchObject({ code: 'CONFLICT' });
    expect(await to('0.0.0.0:45432')).toMatchObject({ code: 'CONFLICT' });
    expect(await to('[::]:45432')).toMatchObject({ code: 'CONFLICT' });
    expect(await to('192.0.2.8:45432')).toMatchObject({ __typename: 'CreateTcpRulePayload' });
    expect(await to('[::]:30443')).toMatchObject({ __typename: 'CreateTcpRulePayload' });
    expect(await to('192.0.2.8:30443')).toMatchObject({ code: 'CONFLICT' });
    expect(await to('[2001:db8::1]:8443')).toMatchObject({ __typename: 'CreateTcpRulePayload' });
    expect(await to('[2001:DB8:0:0:0:0:0:1]:8443')).toMatchObject({ code: 'CONFLICT' });
    // An IPv4 address in the form of an IPv6 address is that address.
    expect(await to('[::ffff:192.0.2.7]:45432')).toMatchObject({ code: 'CONFLICT' });
    expect(await to('[::FFFF:C000:0207]:45432')).toMatchObject({ code: 'CONFLICT' });
    expect(await to('[::ffff:0.0.0.0]:30446')).toMatchObject({ __typename: 'CreateTcpRulePayload' });
    expect(await to('192.0.2.9:30446')).toMatchObject({ code: 'CONFLICT' });
    expect((await rulesOf(all)).urls).toContain(`${all.region.name}.tcp.example:30443`);
    // A default rule goes around what is taken.
    expect(await to('192.0.2.9:30000')).toMatchObject({ __typename: 'CreateTcpRulePayload' });
    const fresh = await trellis.addPort(all.component.componentId, 6, { protocol: 'TCP' });
    await open({ id: fresh.id });
    expect((await rulesOf(all)).urls).toContain(`${all.region.name}.tcp.example:30001`);
  });
});

describe('deletePort and deleteGatewayRule', () => {
  it('refuses a port with a custom rule and names the rule, and deletes a default rule with its port', async () => {
    const all = await trellis.createAll();
    const domain = `${unique('www')}.example`;
    const { rule } = await trellis.succeed('createHttpRule', { ...target(all), domain }, 'rule { id }');
    const refused = await trellis.attempt('deletePort', { port: { id: all.port.id } });
    expect(refused).toMatchObject({ code: 'CONFLICT' });
    expect(refused.message).toContain(`${domain}/`);
    const change = { port: { id: all.port.id }, protocol: 'TCP' };
    expect(await trellis.attempt('changePortProtocol', change)).toMatchObject({ code: 'CONFLICT' });
    const gone = await trellis.succeed(
      'deleteGatewayRule',
      { rule: { id: rule.id } },
      `httpRule { domain } tcpRule { uid } component { ${rules} }`,
    );
    expect(gone).toMatchObject({
      httpRule: { domain },
      tcpRule: null,
      component: { gatewayRules: { http: { totalCount: 0 } } },
    });
    expect(await trellis.attempt('deleteGatewayRule', { rule: { id: rule.id } })).toMatchObject({
      code: 'NOT_FOUND',
    });
    await open({ id: all.port.id });
    await trellis.succeed('deletePort', { port: { id: all.port.id } }, 'port { number isOuter }');
    expect(await rulesOf(all)).toEqual({ urls: [], http: [], tcp: [] });
    expect(
      await trellis.services.db.query(
        `SELECT name FROM domain WHERE name LIKE '8080.${all.component.alias}%'`,
        [],
      ),
    ).toEqual([]);
  });

  it('releases every domain when a rule is deleted while its domain changes', async () => {
    const all = await trellis.createAll();
    const theirs = await createRival(all);
    for (let round = 1; round <= 4; round++) {
      const [one, other] = [`${unique('a')}.example`, `${unique('b')}.example`];
      const { rule } = await trellis.succeed(
        'createHttpRule',
        { ...target(all), domain: one },
        'rule { id }',
      );
      const [moved, gone] = await Promise.all([
        trellis.attempt('updateHttpRule', { rule, domain: other }),
        trellis.attempt('deleteGatewayRule', { rule }, 'httpRule { domain }'),
      ]);
      // Deleting answers the rule as it was at the end.
      expect([moved.code ?? 'moved', gone.httpRule?.domain]).toEqual(
        moved.code ? ['NOT_FOUND', one] : ['moved', other],
      );
      for (const domain of [one, other]) {
        await trellis.succeed('createHttpRule', { ...theirs, domain }, 'rule { id }');
      }
    }
  });

  it('records an event for everything that was deleted along with the port', async () => {
    const all = await trellis.createAll();
    await open({ id: all.port.id });
    await close({ id: all.port.id });
    await trellis.succeed('deletePort', { port: { id: all.port.id } }, 'port { number }');
    const { team } = await trellis.data(
      `{ team(by: { teamId: "${all.team.teamId}" }) { events(first: 8) { nodes { action } } } }`,
    );
    expect(team.events.nodes.map((event: any) => event.action).reverse()).toEqual([
      'port.add',
      'http_rule.create',
      'port.open_outer',
      'http_rule.unpublish',
      'port.close_outer',
      'http_rule.delete',
      'domain.release',
      'port.delete',
    ]);
  });
});

describe('a domain that components of several applications have', () => {
  it('requires the right to change all of them', async () => {
    const hidden = await trellis.createAll();
    const { appId, name } = await trellis.createApplication(hidden);
    const { componentId, alias } = await trellis.createComponent(appId);
    await trellis.addPort(componentId, 8080);
    const own = { application: { appId }, component: { componentId }, portNumber: 8080 };
    const { teamId } = hidden.team;
    const limited = await trellis.createPerson();
    const role = { role: 'DEVELOPER', applications: [{ appId }] };
    const user = { userId: limited.userId };
    await trellis.succeed('addTeamMember', { team: { teamId }, user, ...role }, '__typename');
    const developer = await trellis.createMember(teamId, 'DEVELOPER');
    const grants = [
      { actions: ['READ_LOGS'], team: { teamId } },
      { actions: ['CREATE_HTTP_RULE', 'UPDATE_HTTP_RULE', 'APPLY_MANIFEST'], application: { appId } },
    ];
    const { secret: seeing } = await trellis.succeed(
      'createAccessToken',
      { name: 'sees all', grants },
      'secret',
      developer.token,
    );

    const base = `${hidden.team.name}.example.com`;
    const platform = `${hidden.team.name}.${hidden.region.name}.apps.example`;
    const add = (all: object, domain: string, token?: string) =>
      trellis.succeed('createHttpRule', { ...all, domain }, 'rule { uid }', token);
    for (const domain of [`www.${base}`, `*.wild.${base}`]) await add(target(hidden), domain);
    const taken: object[] = [
      { domain: `www.${base}` },
      { domain: `WWW.${base}`, path: '/below', dryRun: true },
      { domain: `a.wild.${base}` },
      { domain: `*.${base}` },
      // What the closed port of the hidden component gets when it is opened.
      { domain: `8080.${hidden.component.alias}.${platform}` },
      // What components that do not exist yet would get.
      { domain: `8080.${unique('later')}.${platform}` },
      { domain: `*.${unique('later')}.${platform}` },
      { domain: `*.${platform}` },
    ];
    for (const token of [limited.token, seeing]) {
      for (const input of taken) {
        const refused = await trellis.attempt('createHttpRule', { ...own, ...input }, '__typename', token);
        expect([input, refused]).toMatchObject([
          input,
          { code: 'CONFLICT', message: expect.stringContaining('a component that you cannot change') },
        ]);
      }
      await add(own, `${token === seeing ? 'a' : 'b'}.${alias}.${platform}`, token);
      const free = await add(own, `${token === seeing ? 'one' : 'other'}-${base}`, token);
      const rule = { httpRuleId: free.rule.uid };
      expect(
        await trellis.attempt('updateHttpRule', { rule, domain: `www.${base}` }, '__typename', token),
      ).toMatchObject({ code: 'CONFLICT' });
    }

    const routes = `application: ${name}\nroutes: [{ domain: www.${base}, component: ${alias}, port: 8080 }]\n`;
    expect(await tryApply(trellis, hidden, routes, {}, limited.token)).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('a component that you cannot change'),
    });
    const { error } = await tryPlan(trellis, hidden, routes, { token: limited.token });
    expect(error).toMatchObject({ extensions: { code: 'CONFLICT' } });
    // Who sees both can plan it.
    const viewer = await trellis.createMember(teamId, 'VIEWER');
    expect((await plan(trellis, hidden, routes, { token: viewer.token })).changes).toHaveLength(1);

    // Somebody who may change both lets them share. From then on, what changes the share requires that as well.
    const { rule } = await add(own, `www.${base}`, developer.token);
    const change = (input: object, token: string) =>
      trellis.attempt('updateHttpRule', { rule: { httpRuleId: rule.uid }, ...input }, '__typename', token);
    for (const input of [{ weight: 1 }, { path: '/a' }, { domainHeader: 'a=b' }]) {
      expect([input, await change(input, limited.token)]).toMatchObject([input, { code: 'CONFLICT' }]);
    }
    expect(await change({ pathRewrite: true }, limited.token)).toMatchObject({
      __typename: 'UpdateHttpRulePayload',
    });
    expect(await change({ weight: 1 }, developer.token)).toMatchObject({
      __typename: 'UpdateHttpRulePayload',
    });
  });

  it('leaves the settings of requests that they share to who may change all of them', async () => {
    const hidden = await trellis.createAll();
    const { appId, name } = await trellis.createApplication(hidden);
    const { componentId, alias } = await trellis.createComponent(appId);
    await trellis.addPort(componentId, 8080);
    const own = { application: { appId }, component: { componentId }, portNumber: 8080 };
    const team = { teamId: hidden.team.teamId };
    const limited = await trellis.createPerson();
    const member = { team, user: { userId: limited.userId }, role: 'DEVELOPER', applications: [{ appId }] };
    await trellis.succeed('addTeamMember', member, '__typename');
    const domain = `www.${hidden.team.name}.example.com`;
    const add = async (input: object) =>
      (await trellis.succeed('createHttpRule', { domain, ...input }, 'rule { uid }')).rule.uid as number;
    // The first rule has the settings of the requests that later ones share with it.
    const first = await add({ ...own, weight: 10 });
    const below = await add({ ...own, path: '/own' });
    await add({ ...target(hidden), weight: 90 });
    const change = (uid: number, input: object, token?: string) =>
      trellis.attempt(
        'updateHttpRule',
        { rule: { httpRuleId: uid }, ...input },
        'rule { uid }',
        ...(token === undefined ? [] : [token]),
      );
    const settings: object[] = [
      { pathRewrite: true },
      { configuration: { setHeaders: [{ key: 'X-Only', value: 'first' }] } },
      { configuration: { setHeaders: [], readTimeoutSeconds: 1 } },
    ];
    const refused = {
      code: 'CONFLICT',
      message: expect.stringContaining(
        `Requests for ${domain}/ are shared with a component that you cannot change`,
      ),
    };
    for (const input of settings) {
      expect([input, await change(first, input, limited.token)]).toMatchObject([input, refused]);
      expect(await change(below, input, limited.token)).toMatchObject({ rule: { uid: below } });
    }
    const routes = JSON.stringify({
      application: name,
      routes: [{ domain, component: alias, port: 8080, pathRewrite: true }],
    });
    expect(await tryApply(trellis, hidden, routes, {}, limited.token)).toMatchObject(refused);
    for (const input of settings) expect(await change(first, input)).toMatchObject({ rule: { uid: first } });
  });
});

describe('the endpoint of a TCP rule', () => {
  /** Components in two applications of a region, each with a TCP port. */
  async function createTwo(options: object) {
    const { teamId, name, id } = await trellis.createTeam();
    const region = await trellis.createRegion(options);
    const place = { team: { teamId, name, id }, region };
    await trellis.succeed(
      'openTeamRegion',
      { team: { teamId }, region: { regionId: region.regionId } },
      '__typename',
    );
    const targets = [];
    for (const _ of ['one', 'other']) {
      const { appId } = await trellis.createApplication(place, unique('app'));
      const { componentId } = await trellis.createComponent(appId, { name: unique('db'), image: 'db:1' });
      await trellis.addPort(componentId, 5432, { protocol: 'TCP' });
      targets.push({ application: { appId }, component: { componentId }, portNumber: 5432 });
    }
    return { place, targets };
  }

  it.each([
    [
      'is of one component on all addresses of the nodes of a cluster',
      { driver: 'KUBERNETES', cluster: {} },
      true,
    ],
    ['is of one component on each address of a region without a cluster', {}, false],
  ])('%s', async (_, options, isOfAll) => {
    const { place, targets } = await createTwo(options);
    const [one, other] = targets;
    const create = (target: object, endpoint: string) =>
      trellis.attempt('createTcpRule', { ...target, endpoint }, 'rule { uid }');
    for (const endpoint of ['192.0.2.1:30500', '192.0.2.1:5432']) {
      expect(await create(one!, endpoint)).toMatchObject({ rule: {} });
    }
    expect(await create(other!, '192.0.2.2:5432')).toMatchObject({ rule: {} });
    const { application, component } = await trellis.data(
      'query ($app: ApplicationRef!, $component: ComponentRef!) { application(by: $app) { name } component(by: $component) { name } }',
      { app: other!.application, component: other!.component },
    );
    const document = JSON.stringify({
      application: application.name,
      routes: [{ endpoint: '192.0.2.2:30500', component: component.name, port: 5432 }],
    });
    const { error } = await tryPlan(trellis, place, document);
    const made = await create(other!, '192.0.2.2:30500');
    if (isOfAll) {
      const message = expect.stringContaining('by a rule');
      expect(error).toMatchObject({ message, extensions: { code: 'CONFLICT' } });
      expect(made).toMatchObject({ code: 'CONFLICT', message });
    } else {
      expect(error).toBeUndefined();
      expect(made).toMatchObject({ rule: {} });
    }
  });
});

describe('a domain of a component that the caller may not change', () => {
  it('is not shared by an install or an import', async () => {
    const hidden = await trellis.createAll();
    const { appId } = await trellis.createApplication(hidden);
    const limited = await trellis.createPerson();
    const member = { team: { teamId: hidden.team.teamId }, user: { userId: limited.userId } };
    const role = { role: 'DEVELOPER', applications: [{ appId }] };
    await trellis.succeed('addTeamMember', { ...member, ...role }, '__typename');
    const alias = unique('next');
    const domain = `8080.${alias}.${hidden.team.name}.${hidden.region.name}.apps.example`;
    await trellis.succeed('createHttpRule', { ...target(hidden), domain }, 'rule { uid }');
    const edit = (app: any) => {
      app.port_map_list[0].is_outer_service = true;
    };
    const { key, text } = ringTemplate(1, { edit });
    await trellis.succeed('publishTemplate', { template: text }, '__typename');
    const install = installInput(trellis, appId, key);
    const before = await trellis.counts();
    // The alias of a component is part of the domain of its port, and is made at random.
    trellis.services.newAlias = () => alias;
    try {
      for (const dryRun of [true, false]) {
        const input = { ...install, dryRun };
        expect(await trellis.attempt('installApplication', input, '__typename', limited.token)).toMatchObject(
          {
            code: 'CONFLICT',
            message: expect.stringContaining('a component that you cannot change'),
          },
        );
      }
    } finally {
      delete trellis.services.newAlias;
    }
    // An import makes an application, which is for those who may change all of the team.
    const namespace = { team: member.team, region: { name: hidden.region.name }, namespace: 'shop' };
    expect(await trellis.attempt('importNamespace', namespace, '__typename', limited.token)).toMatchObject({
      code: 'FORBIDDEN',
    });
    const { record_seal: _one, ...counts } = before;
    const { record_seal: _other, ...now } = await trellis.counts();
    expect(now).toEqual(counts);
  });
});

it('are found by their domain in a team and in all teams, with the same statements for every number of rules', async () => {
  const [one, other] = [await trellis.createAll(), await trellis.createAll()];
  const add = (all: All, domain: string) =>
    trellis.succeed('createHttpRule', { ...target(all), domain }, 'rule { uid }');
  for (const name of ['b', 'a']) await add(one, `${name}.${one.team.name}-found.example.com`);
  await add(other, `${other.team.name}-found.example.com`);
  const domainsOf = async (search?: string) => {
    const { nodes } = await trellis.data(
      'query Q($ids: [ID!]!, $search: String) { nodes(ids: $ids) { ... on Team { httpRules(search: $search) { totalCount nodes { domain } } } } }',
      { ids: [one.team.id, other.team.id], search },
    );
    return nodes.map(({ httpRules }: any) => httpRules.nodes.map(({ domain }: any) => domain));
  };
  trellis.statements.length = 0;
  expect(await domainsOf('-FOUND.example')).toEqual([
    ['a', 'b'].map((name) => `${name}.${one.team.name}-found.example.com`),
    [`${other.team.name}-found.example.com`],
  ]);
  // The teams, the pages of their rules and the counts.
  expect(trellis.statements.length).toBeLessThanOrEqual(3);
  const { httpRules } = await trellis.data(
    '{ httpRules(search: "-FOUND.example") { totalCount nodes { domain } } }',
  );
  expect(httpRules.totalCount).toBe(3);
  expect(httpRules.nodes.map((rule: any) => rule.domain)).toEqual(
    [...(await domainsOf('-FOUND.example'))].flat().sort(),
  );
  expect(await domainsOf('nothing')).toEqual([[], []]);
  expect((await domainsOf()).flat().length).toBeGreaterThanOrEqual(3);
});
