import { describe, expect, it } from 'vitest';
import { type Place, refsOf, unique } from '../../support/fixtures.ts';
import { meanwhile } from '../../support/meanwhile.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

const plan = 'plan { action objectType objectUid name }';
const codeOf = ({ code, __typename }: { code?: string; __typename: string }) => code ?? __typename;
const byId = ({ regionId }: { regionId: string }) => ({ region: { regionId } });

const fields =
  'alias url websocketUrl httpDomain tcpDomain status description scope credentials { token caCertificate clientCertificate clientKey } usage { totalCpuCores totalMemoryMiB totalDiskGiB }';
const update = (region: { regionId: string }, input: object) =>
  trellis.attempt('updateRegion', { ...byId(region), ...input }, `region { ${fields} }`);
const remove = (region: { regionId: string }, options: object = {}) =>
  trellis.attempt('deleteRegion', { ...byId(region), ...options }, `region { name } ${plan}`);
const close = (place: Place, options: object = {}, token?: string) =>
  trellis.attempt(
    'closeTeamRegion',
    { ...refsOf(place), ...options },
    `team { regions { totalCount } } region { name } ${plan}`,
    token,
  );

/** A component with a port that is open to the outside, whose rule uses a domain of the region. */
async function createOpenPort(place: Place, protocol: string) {
  const application = await trellis.createApplication(place);
  const component = await trellis.createComponent(application.appId);
  const port = await trellis.addPort(component.componentId, 8080, { protocol });
  const ref = { port: { id: port.id } };
  await trellis.succeed('openOuterService', ref, '__typename');
  return { application, component, ref };
}

describe('updateRegion', () => {
  it('changes all but the name, and only what is given', async () => {
    const region = await trellis.createRegion({ credentials: { token: 'old', clientKey: 'KEY' } });
    const input = {
      alias: 'Nord',
      url: 'http://nord.example',
      websocketUrl: 'ws://nord.example',
      httpDomain: 'nord.example',
      tcpDomain: '192.0.2.1',
      status: 'EDITING',
      description: 'In the north.',
      scope: 'PUBLIC',
    };
    const credentials = { caCertificate: null, clientCertificate: null, clientKey: 'KEY', token: 'new' };
    const capacity = { cpuCores: 1.5, memoryMiB: 2, diskGiB: 2.5 };
    const { region: changed } = await update(region, {
      ...input,
      ...capacity,
      credentials: { token: 'new' },
    });
    const expected = {
      ...input,
      credentials,
      usage: { totalCpuCores: 1.5, totalMemoryMiB: 2, totalDiskGiB: 2.5 },
    };
    expect(changed).toEqual(expected);
    expect((await update(region, {})).region).toEqual(expected);
    expect((await update(region, { alias: null, description: null })).region).toEqual({
      ...expected,
      description: '',
    });
    const found = await trellis.data(
      '{ viewer { enterprise { regions(search: "NORD") { nodes { name } } } } }',
    );
    expect(found.viewer.enterprise.regions.nodes).toEqual([{ name: region.name }]);
  });

  it('replaces the credentials that are given, removes those that are null, and records neither', async () => {
    const secrets = {
      token: 'secret-1',
      caCertificate: 'secret-2',
      clientCertificate: 'secret-3',
      clientKey: 'secret-4',
    };
    const region = await trellis.createRegion({ credentials: secrets });
    const set = async (credentials: object | null) =>
      (await update(region, { credentials })).region.credentials;
    expect(await set({ token: 'secret-5', clientKey: null })).toEqual({
      ...secrets,
      token: 'secret-5',
      clientKey: null,
    });
    const { events } = await trellis.data(
      `{ events(objectUid: "${region.regionId}", action: "region.update") { nodes { changes { field before: oldValue after: newValue } } } }`,
    );
    expect(events.nodes).toEqual([
      {
        changes: [
          { field: 'sealedToken', before: '[redacted]', after: '[redacted]' },
          { field: 'sealedClientKey', before: '[redacted]', after: null },
        ],
      },
    ]);
    // The same once more changes nothing.
    const before = await trellis.counts();
    await set({ token: 'secret-5', caCertificate: 'secret-2', clientKey: null });
    expect(await trellis.counts()).toEqual(before);
    expect(await set(null)).toEqual({
      token: null,
      caCertificate: null,
      clientCertificate: null,
      clientKey: null,
    });
    const stored = JSON.stringify([
      await trellis.services.db.query('SELECT * FROM region', []),
      await trellis.services.db.query('SELECT * FROM event', []),
      trellis.logged,
    ]);
    expect(stored).not.toContain('secret-');
  });

  it('allows changes in the region only while it is enabled', async () => {
    const place = await trellis.createPlace();
    for (const status of ['EDITING', 'DISABLED', 'MAINTENANCE']) {
      await update(place.region, { status });
      expect(await trellis.attempt('createApplication', { ...refsOf(place), name: 'shop' })).toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining(`is not enabled: its status is ${status.toLowerCase()}`),
      });
    }
    await update(place.region, { status: 'ENABLED' });
    await trellis.createApplication(place, 'shop');
  });

  it('leaves a region that becomes private to the teams that it is open for', async () => {
    const region = await trellis.createRegion({ scope: 'PUBLIC' });
    const [team, other] = [await trellis.createTeam(), await trellis.createTeam()];
    const [admin, stranger] = [
      await trellis.createMember(team.teamId, 'ADMIN'),
      await trellis.createMember(other.teamId, 'ADMIN'),
    ];
    const open = (of: { teamId: string }, token: string) =>
      trellis.attempt(
        'openTeamRegion',
        { team: { teamId: of.teamId }, ...byId(region) },
        '__typename',
        token,
      );
    expect(await open(team, admin.token)).toMatchObject({ __typename: 'OpenTeamRegionPayload' });
    await update(region, { scope: 'PRIVATE' });
    await trellis.createApplication({ team, region });
    expect(await open(other, stranger.token)).toMatchObject({ code: 'NOT_FOUND' });
    // One who had read the region before it became private.
    await update(region, { scope: 'PUBLIC' });
    const { result } = await meanwhile(
      trellis,
      () => update(region, { scope: 'PRIVATE' }),
      () => open(other, stranger.token),
    );
    expect(result).toMatchObject({ code: 'FORBIDDEN' });
  });

  it('changes the HTTP domain while no rule uses it', async () => {
    const place = await trellis.createPlace();
    const { component, ref } = await createOpenPort(place, 'HTTP');
    const old = `8080.${component.alias}.${place.team.name}.${place.region.name}.apps.example`;
    const httpDomain = `${unique('new')}.example`;
    expect(await update(place.region, { httpDomain, alias: 'Changed' })).toMatchObject({
      code: 'CONFLICT',
      message: `The HTTP domain of the region ${place.region.name} is in use by the rules of ${old}. Delete them first.`,
    });
    // The same domain once more, and the other fields, are no change of it.
    const same = { httpDomain: `${place.region.name}.apps.example`, url: 'https://moved.example' };
    expect(await update(place.region, same)).toMatchObject({ region: { ...same, alias: place.region.name } });
    await trellis.succeed('deletePort', ref, '__typename');
    expect(await update(place.region, { httpDomain })).toMatchObject({ region: { httpDomain } });
    const port = await trellis.addPort(component.componentId, 8081);
    await trellis.succeed('openOuterService', { port: { id: port.id } }, '__typename');
    const { component: found } = await trellis.data(
      `{ component(by: { componentId: "${component.componentId}" }) { gatewayRules { http { nodes { domain } } } } }`,
    );
    expect(found.gatewayRules.http.nodes).toEqual([
      { domain: `8081.${component.alias}.${place.team.name}.${httpDomain}` },
    ]);
  });

  it('does not take a domain that a team owns, or one around it', async () => {
    const place = await trellis.createPlace();
    const { application, component } = await createOpenPort(place, 'HTTP');
    const base = `${unique('shop')}.example`;
    await trellis.succeed(
      'createHttpRule',
      {
        application: { appId: application.appId },
        component: { componentId: component.componentId },
        portNumber: 8080,
        domain: `*.www.${base}`,
      },
      '__typename',
    );
    const { ref } = {
      ref: { port: { at: { component: { componentId: component.componentId }, number: 8080 } } },
    };
    const rules = await trellis.services.db.transaction((tx) =>
      tx.httpRule.findMany({ where: { componentId: component.componentId, isDefault: true } }),
    );
    await trellis.succeed('closeOuterService', ref, '__typename');
    await trellis.succeed('deleteGatewayRule', { rule: { httpRuleId: rules[0]!.id } }, '__typename');
    for (const httpDomain of [base, `www.${base}`, `a.www.${base}`]) {
      expect(await update(place.region, { httpDomain })).toMatchObject({
        code: 'CONFLICT',
        message: `The domain ${httpDomain} overlaps with domains of teams in the region ${place.region.name}: *.www.${base}.`,
      });
    }
    expect(await update(place.region, { httpDomain: `other.${base}` })).toMatchObject({
      __typename: 'UpdateRegionPayload',
    });
  });

  it('changes the TCP domain while no rule on all addresses uses it', async () => {
    const place = await trellis.createPlace();
    const { application, component, ref } = await createOpenPort(place, 'TCP');
    const tcpDomain = 'new.tcp.example';
    expect(await update(place.region, { tcpDomain })).toMatchObject({
      code: 'CONFLICT',
      message: `The TCP domain of the region ${place.region.name} is in use by the rules on 0.0.0.0:30000. Delete them first.`,
    });
    await trellis.succeed('deletePort', ref, '__typename');
    await trellis.addPort(component.componentId, 5432, { protocol: 'TCP' });
    const target = {
      application: { appId: application.appId },
      component: { componentId: component.componentId },
      portNumber: 5432,
    };
    await trellis.succeed('createTcpRule', { ...target, endpoint: '192.0.2.7:5432' }, '__typename');
    expect(await update(place.region, { tcpDomain })).toMatchObject({ region: { tcpDomain } });
  });

  it('does not change the domain under a rule that is being created', async () => {
    const place = await trellis.createPlace();
    const { application, component } = await createOpenPort(place, 'TCP');
    const port = await trellis.addPort(component.componentId, 80);
    const whileDomainBecomes = (httpDomain: string, mutation: string, input: object) =>
      meanwhile(
        trellis,
        () => update(place.region, { httpDomain }),
        () => trellis.attempt(mutation, input),
      );
    const { result } = await whileDomainBecomes(`${unique('new')}.example`, 'createHttpRule', {
      application: { appId: application.appId },
      component: { componentId: component.componentId },
      portNumber: 80,
      domain: `${unique('www')}.example`,
      opensPort: true,
    });
    const conflict = { code: 'CONFLICT', message: expect.stringContaining('at the same time') };
    expect(result).toMatchObject(conflict);
    const httpDomain = `${unique('newer')}.example`;
    const input = { port: { id: port.id } };
    const opened = await whileDomainBecomes(httpDomain, 'openOuterService', input);
    expect(opened.result).toMatchObject(conflict);
    await trellis.succeed('openOuterService', input, 'port { isOuter }');
    const [domains] = await trellis.services.db.query(
      'SELECT domain FROM http_rule ORDER BY id DESC LIMIT 1',
      [],
    );
    expect(domains![0]).toContain(httpDomain);
  });
});

describe('closeTeamRegion', () => {
  it('closes the region for the team, and says so before', async () => {
    const place = await trellis.createPlace();
    const admin = await trellis.createMember(place.team.teamId, 'ADMIN');
    const before = await trellis.counts();
    const dry = await close(place, { dryRun: true }, admin.token);
    expect(dry).toMatchObject({
      team: { regions: { totalCount: 1 } },
      plan: [
        {
          action: 'team.close_region',
          objectType: 'Team',
          objectUid: place.team.teamId,
          name: place.region.name,
        },
      ],
    });
    expect(await trellis.counts()).toEqual(before);
    const real = await close(place, {}, admin.token);
    expect(real).toMatchObject({
      team: { regions: { totalCount: 0 } },
      region: { name: place.region.name },
      plan: dry.plan,
    });
    expect(await close(place)).toMatchObject({ message: 'There is no such region.' });
    // It was private: its members see it no more, and cannot open it.
    const open = () => trellis.attempt('openTeamRegion', refsOf(place), '__typename', admin.token);
    expect(await open()).toMatchObject({ code: 'NOT_FOUND' });
    await trellis.succeed('openTeamRegion', refsOf(place), '__typename');
  });

  it('is refused while the team has applications or unfinished jobs there, and there alone', async () => {
    const place = await trellis.createPlace();
    const elsewhere = { team: place.team, region: await trellis.createRegion() };
    await trellis.succeed('openTeamRegion', refsOf(elsewhere), '__typename');
    const shop = await trellis.createApplication(place, 'shop');
    const neighbour = { ...(await trellis.createPlace()), region: place.region };
    await trellis.succeed('openTeamRegion', refsOf(neighbour), '__typename');
    expect(await close(elsewhere)).toMatchObject({ __typename: 'CloseTeamRegionPayload' });
    expect(await close(neighbour)).toMatchObject({ __typename: 'CloseTeamRegionPayload' });
    for (const options of [{}, { dryRun: true }]) {
      expect(await close(place, options)).toMatchObject({
        code: 'CONFLICT',
        message: `The team ${place.team.name} has the application shop in the region ${place.region.name}. Delete it first.`,
      });
    }
    const [teamId, regionId] = [place.team.teamId, place.region.regionId];
    const job = await trellis.services.db.transaction(async (tx) => {
      await tx.application.delete({ where: { id: shop.appId } });
      const row = { kind: 'delete', status: 'running', requestId: 'test', createdAt: new Date() };
      return tx.job.create({ data: { teamId, regionId, ...row } });
    });
    expect(await close(place)).toMatchObject({
      code: 'CONFLICT',
      message: `In the region ${place.region.name}, the team ${place.team.name} has 1 unfinished job. Try again later.`,
    });
    await trellis.services.db.transaction((tx) =>
      tx.job.update({ where: { id: job.id }, data: { status: 'failed' } }),
    );
    expect(await close(place)).toMatchObject({ __typename: 'CloseTeamRegionPayload' });
  });

  it('and creating an application there at the same time exclude each other', async () => {
    const create = (place: Place, isDefault: boolean) =>
      trellis.attempt('createApplication', { ...refsOf(place), name: 'late', isDefault });
    for (const isDefault of [false, true]) {
      const late = await trellis.createPlace();
      const { result } = await meanwhile(
        trellis,
        () => close(late),
        () => create(late, isDefault),
      );
      expect(result).toMatchObject({ code: 'NOT_FOUND', message: 'There is no such region.' });
      const place = await trellis.createPlace();
      const [created, closed] = await Promise.all([create(place, isDefault), close(place)]);
      expect(['CreateApplicationPayload CONFLICT', 'NOT_FOUND CloseTeamRegionPayload']).toContain(
        `${codeOf(created)} ${codeOf(closed)}`,
      );
    }
  });

  it('happens once of two at the same time', async () => {
    const place = await trellis.createPlace();
    const codes = (await Promise.all([close(place), close(place)])).map(codeOf).sort();
    expect(codes).toEqual(['CloseTeamRegionPayload', 'NOT_FOUND']);
  });
});

describe('deleteRegion', () => {
  it('deletes a region that is open for no team, and says so before', async () => {
    const place = await trellis.createPlace();
    for (const options of [{}, { dryRun: true }]) {
      expect(await remove(place.region, options)).toMatchObject({
        code: 'CONFLICT',
        message: `The region ${place.region.name} is open for the team ${place.team.name}. Close it first.`,
      });
    }
    await close(place);
    const before = await trellis.counts();
    const dry = await remove(place.region, { dryRun: true });
    expect(await trellis.counts()).toEqual(before);
    const real = await remove(place.region);
    expect(real).toEqual(dry);
    expect(real).toMatchObject({
      region: { name: place.region.name },
      plan: [
        {
          action: 'region.delete',
          objectType: 'Region',
          objectUid: place.region.regionId,
          name: place.region.name,
        },
      ],
    });
    expect((await trellis.counts()).region).toBe(before.region! - 1);
    expect(await remove(place.region)).toMatchObject({ message: 'There is no such region.' });
    await trellis.succeed(
      'createRegion',
      {
        name: place.region.name,
        url: 'https://again.example',
        websocketUrl: 'wss://again.example',
        httpDomain: 'again.example',
        tcpDomain: 'again.example',
      },
      '__typename',
    );
  });

  it('happens once of two at the same time, and before or after the region opens for a team', async () => {
    const region = await trellis.createRegion();
    const twice = await Promise.all([remove(region), remove(region)]);
    expect(twice.map(codeOf).sort()).toEqual(['DeleteRegionPayload', 'NOT_FOUND']);
    const team = await trellis.createTeam();
    const open = (at: { regionId: string }) =>
      trellis.attempt('openTeamRegion', { team: { teamId: team.teamId }, ...byId(at) });
    const late = await trellis.createRegion();
    const { result } = await meanwhile(
      trellis,
      () => remove(late),
      () => open(late),
    );
    expect(result).toMatchObject({ code: 'NOT_FOUND' });
    const other = await trellis.createRegion();
    const [opened, deleted] = await Promise.all([open(other), remove(other)]);
    expect(['OpenTeamRegionPayload CONFLICT', 'NOT_FOUND DeleteRegionPayload']).toContain(
      `${codeOf(opened)} ${codeOf(deleted)}`,
    );
  });
});
