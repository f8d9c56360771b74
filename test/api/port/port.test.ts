import { describe, expect, it } from 'vitest';
import { createCallers } from '../../support/callers.ts';
import { unique } from '../../support/fixtures.ts';
import { once } from '../../support/once.ts';
import { databaseKind, useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

const fields = 'port { id number protocol alias isInner isOuter serviceName }';

const eventsOf = async (teamId: string, action?: string) => {
  const data = await trellis.data(
    `query E($team: TeamRef!, $action: String) { team(by: $team) { events(action: $action, first: 100) {
      totalCount nodes { action objectType objectUid changes { field before: oldValue after: newValue } user { email } requestId tokenId } } } }`,
    { team: { teamId }, action },
  );
  return data.team.events.nodes;
};

describe('addPort', () => {
  it('uses the documented defaults', async () => {
    const { component, application } = await trellis.createAll();
    const port = await trellis.addPort(component.componentId, 3306, { protocol: 'MYSQL' });
    expect(port).toMatchObject({
      number: 3306,
      protocol: 'MYSQL',
      alias: `${component.alias.toUpperCase().replaceAll('-', '_')}_3306`,
      isInner: false,
      isOuter: false,
      serviceName: component.alias,
    });
    const other = await trellis.createComponent(application.appId);
    const inner = await trellis.addPort(other.componentId, 80, { alias: 'WEB', isInner: true });
    expect(inner).toMatchObject({ alias: 'WEB', isInner: true, isOuter: false, serviceName: other.alias });
  });

  it('returns CONFLICT when the component already has the number or alias', async () => {
    const { component } = await trellis.createAll();
    const input = {
      component: { componentId: component.componentId },
      number: 8080,
      protocol: 'HTTP',
      alias: 'OTHER',
    };
    const number = await trellis.attempt('addPort', input);
    expect(number).toMatchObject({ __typename: 'ConflictError', code: 'CONFLICT' });
    expect(number.message).toContain('8080');
    await trellis.addPort(component.componentId, 8081, { alias: 'TAKEN' });
    const alias = await trellis.attempt('addPort', { ...input, number: 8082, alias: 'TAKEN' });
    expect(alias).toMatchObject({ __typename: 'ConflictError' });
    expect(alias.message).toContain('TAKEN');
  });

  once.each([
    [{ number: 0 }, ['input', 'number']],
    [{ number: 65536 }, ['input', 'number']],
    [{ alias: 'lower' }, ['input', 'alias']],
    [{ alias: '1A' }, ['input', 'alias']],
    [{ alias: 'A'.repeat(65) }, ['input', 'alias']],
    [{ alias: '' }, ['input', 'alias']],
  ])('returns INVALID_INPUT for the input %j', async (wrong, path) => {
    const { component } = await trellis.createAll();
    const before = await trellis.counts();
    const input = {
      component: { componentId: component.componentId },
      number: 81,
      protocol: 'HTTP',
      ...wrong,
    };
    const result = await trellis.attempt('addPort', input);
    expect(result.__typename).toBe('InvalidInputError');
    expect(result.issues.map((issue: any) => issue.path)).toContainEqual(path);
    expect(await trellis.counts()).toEqual(before);
  });

  it('shortens the default alias to the maximum length', async () => {
    const { application } = await trellis.createAll();
    const alias = `a${'b'.repeat(62)}`;
    const component = await trellis.createComponent(application.appId, { alias });
    const port = await trellis.addPort(component.componentId, 65535);
    expect(port.alias).toMatch(/^[A-Z][A-Z0-9_]*_65535$/);
    expect(port.alias).toHaveLength(64);
  });
});

describe('openOuterService, closeOuterService, openInnerService and closeInnerService', () => {
  // The table of the contract is the whole state machine.
  it.each([
    ['openOuterService', 'isOuter', true, 'port.open_outer'],
    ['closeOuterService', 'isOuter', false, 'port.close_outer'],
    ['openInnerService', 'isInner', true, 'port.open_inner'],
    ['closeInnerService', 'isInner', false, 'port.close_inner'],
  ])('%s sets %s to %s from either state', async (mutation, flag, value, action) => {
    const { port, team } = await trellis.createAll();
    const opposite = mutation.startsWith('open')
      ? mutation.replace('open', 'close')
      : mutation.replace('close', 'open');
    for (const first of [opposite, mutation]) {
      await trellis.succeed(first, { port: { id: port.id } }, fields);
      const result = await trellis.succeed(mutation, { port: { id: port.id } }, fields);
      expect(result.port[flag]).toBe(value);
    }
    // Of every two calls that ask for the same, one changes something and is recorded.
    const events = await eventsOf(team.teamId, action);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      objectType: 'Port',
      changes: [{ field: flag, before: !value, after: value }],
      user: { email: 'admin@trellis.example' },
    });
  });

  it('accept a port by its component and number', async () => {
    const { component } = await trellis.createAll();
    const port = { at: { component: { componentId: component.componentId }, number: 8080 } };
    expect((await trellis.succeed('openOuterService', { port }, fields)).port.isOuter).toBe(true);
    const none = await trellis.attempt('openOuterService', { port: { at: { ...port.at, number: 8081 } } });
    expect(none).toMatchObject({ __typename: 'NotFoundError', code: 'NOT_FOUND' });
  });

  it('record one event for twenty concurrent requests', async () => {
    const { port, team } = await trellis.createAll();
    const results = await Promise.all(
      Array.from({ length: 20 }, () =>
        trellis.succeed('openOuterService', { port: { id: port.id } }, fields),
      ),
    );
    expect(results.every((result) => result.port.isOuter)).toBe(true);
    expect(await eventsOf(team.teamId, 'port.open_outer')).toHaveLength(1);
  });
});

describe('changePortProtocol', () => {
  it('changes to any protocol while the port is closed, and within its family while it is open', async () => {
    const { port } = await trellis.createAll();
    const to = (protocol: string) =>
      trellis.attempt('changePortProtocol', { port: { id: port.id }, protocol }, fields);
    expect((await to('UDP')).port.protocol).toBe('UDP');
    await trellis.succeed('openOuterService', { port: { id: port.id } }, fields);
    expect((await to('MYSQL')).port.protocol).toBe('MYSQL');
    const refused = await to('GRPC');
    expect(refused).toMatchObject({ __typename: 'ConflictError' });
    expect(refused.message).toContain('Close it');
    await trellis.succeed('closeOuterService', { port: { id: port.id } }, fields);
    expect((await to('GRPC')).port.protocol).toBe('GRPC');
    await trellis.succeed('openOuterService', { port: { id: port.id } }, fields);
    expect((await to('HTTP')).port.protocol).toBe('HTTP');
    expect((await to('TCP')).__typename).toBe('ConflictError');
  });
});

describe('changePortAlias', () => {
  it('changes the alias alone, or the inner domain of all ports as well', async () => {
    const { component, port, team } = await trellis.createAll();
    const other = await trellis.addPort(component.componentId, 9090);
    const alone = await trellis.succeed('changePortAlias', { port: { id: port.id }, alias: 'WEB' }, fields);
    expect(alone.port).toMatchObject({ alias: 'WEB', serviceName: component.alias });
    const name = unique('service');
    const both = await trellis.succeed(
      'changePortAlias',
      { port: { id: port.id }, alias: 'WEB', serviceName: name },
      `port { serviceName component { serviceName ports { nodes { number serviceName } } } }`,
    );
    expect(both.port).toEqual({
      serviceName: name,
      component: {
        serviceName: name,
        ports: {
          nodes: [
            { number: 8080, serviceName: name },
            { number: 9090, serviceName: name },
          ],
        },
      },
    });
    expect((await eventsOf(team.teamId, 'port.change_alias'))[0].changes).toEqual([
      { field: 'serviceName', before: component.alias, after: name },
    ]);
    const taken = await trellis.attempt('changePortAlias', { port: { id: other.id }, alias: 'WEB' });
    expect(taken).toMatchObject({ __typename: 'ConflictError' });
    expect(taken.message).toContain('WEB');
  });

  it('keeps the inner domain unique among the components of a team in a region', async () => {
    const { application, component } = await trellis.createAll();
    const other = await trellis.createComponent(application.appId);
    const port = await trellis.addPort(other.componentId, 80);
    const input = { port: { id: port.id }, alias: 'OTHER', serviceName: component.alias };
    const taken = await trellis.attempt('changePortAlias', input);
    expect(taken).toMatchObject({ __typename: 'ConflictError' });
    expect(taken.message).toContain(component.alias);
    // Nothing of the refused change stayed.
    const { node } = await trellis.data(
      'query N($id: ID!) { node(id: $id) { ... on Port { alias serviceName } } }',
      port,
    );
    expect(node).toEqual({ alias: port.alias, serviceName: other.alias });
  });

  once.each(['Upper', '-a', 'a-', 'a.b', 'a'.repeat(64), ''])(
    'refuses the inner domain %j',
    async (serviceName) => {
      const { port } = await trellis.createAll();
      const result = await trellis.attempt('changePortAlias', {
        port: { id: port.id },
        alias: 'A',
        serviceName,
      });
      expect(result.issues[0].path).toEqual(['input', 'serviceName']);
    },
  );
});

describe('deletePort', () => {
  it('returns the last state, and releases what the port used', async () => {
    const { application, component, port, team } = await trellis.createAll();
    const last = unique('last');
    await trellis.succeed(
      'changePortAlias',
      { port: { id: port.id }, alias: port.alias, serviceName: last },
      fields,
    );
    const gone = await trellis.succeed(
      'deletePort',
      { port: { id: port.id } },
      `${fields} component { serviceName ports { totalCount } }`,
    );
    expect(gone.port).toMatchObject({ number: 8080, alias: port.alias, serviceName: last });
    expect(gone.component).toEqual({ serviceName: null, ports: { totalCount: 0 } });
    expect(await trellis.attempt('deletePort', { port: { id: port.id } })).toMatchObject({
      __typename: 'NotFoundError',
    });
    const [event] = await eventsOf(team.teamId, 'port.delete');
    expect(event.changes).toContainEqual({ field: 'number', before: 8080, after: null });
    // Its service name is free for another component now.
    const other = await trellis.createComponent(application.appId);
    const fresh = await trellis.addPort(other.componentId, 80);
    const named = await trellis.succeed(
      'changePortAlias',
      { port: { id: fresh.id }, alias: 'X', serviceName: last },
      fields,
    );
    expect(named.port.serviceName).toBe(last);
    expect((await trellis.addPort(component.componentId, 8080)).serviceName).toBe(component.alias);
  });
});

describe('concurrent requests', () => {
  it('never both get the same port number or alias', async () => {
    const { component, team } = await trellis.createAll();
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        trellis.attempt('addPort', {
          component: { componentId: component.componentId },
          number: 7000,
          protocol: 'TCP',
          alias: `A${index}`,
        }),
      ),
    );
    expect(results.filter((result) => result.__typename === 'AddPortPayload')).toHaveLength(1);
    expect(results.filter((result) => result.__typename === 'ConflictError')).toHaveLength(19);
    expect(await eventsOf(team.teamId, 'port.add')).toHaveLength(2);
  });

  it('never both get the same name', async () => {
    const name = unique('same');
    const teams = await Promise.all(
      Array.from({ length: 10 }, () => trellis.attempt('createTeam', { name })),
    );
    expect(teams.filter((result) => result.__typename === 'CreateTeamPayload')).toHaveLength(1);
    expect(teams.filter((result) => result.__typename === 'ConflictError')).toHaveLength(9);
    const { application } = await trellis.createAll();
    const components = await Promise.all(
      Array.from({ length: 10 }, () =>
        trellis.attempt('createComponent', {
          application: { appId: application.appId },
          name: 'x',
          alias: name,
          image: 'x',
        }),
      ),
    );
    expect(components.filter((result) => result.__typename === 'CreateComponentPayload')).toHaveLength(1);
    expect(components.filter((result) => result.__typename === 'ConflictError')).toHaveLength(9);
  });
});

describe('a region that is not enabled', () => {
  it('refuses changes, and can still be read', async () => {
    const { application, component, port, region } = await trellis.createAll();
    await trellis.services.db.transaction((tx) =>
      tx.region.update({ where: { id: region.regionId }, data: { status: 'maintenance' } }),
    );
    const changes: [string, object][] = [
      ['addPort', { component: { componentId: component.componentId }, number: 1, protocol: 'TCP' }],
      ['openOuterService', { port: { id: port.id } }],
      ['changePortProtocol', { port: { id: port.id }, protocol: 'TCP' }],
      ['changePortAlias', { port: { id: port.id }, alias: 'A' }],
      ['deletePort', { port: { id: port.id } }],
      ['createComponent', { application: { appId: application.appId }, name: 'x', image: 'x' }],
    ];
    for (const [mutation, input] of changes) {
      const result = await trellis.attempt(mutation, input);
      expect(result, mutation).toMatchObject({ __typename: 'ConflictError' });
      expect(result.message).toContain('maintenance');
    }
    const { region: read } = await trellis.data(`{ region(by: { name: "${region.name}" }) { status } }`);
    expect(read.status).toBe('MAINTENANCE');
  });
});

describe('a switch of a port', () => {
  it.runIf(databaseKind === 'postgres')(
    'does not wait for a port that the caller may not change',
    async () => {
      const { team, port } = await trellis.createAll();
      const { tokens } = await createCallers(trellis, team.teamId);
      const id = Buffer.from(port.id, 'base64url').toString().split(':')[1];
      await trellis.services.db.transaction(async (tx) => {
        await tx.$read('SELECT 1 FROM port WHERE id = $1 FOR UPDATE', [id]);
        for (const [caller, code] of [
          ['outsider', 'NOT_FOUND'],
          ['viewer', 'FORBIDDEN'],
        ] as const) {
          const input = { port: { id: port.id } };
          const result = await trellis.attempt('openInnerService', input, '__typename', tokens[caller]!);
          expect(result).toMatchObject({ code });
        }
      });
    },
  );

  once('takes a fixed number of statements', async () => {
    const { port } = await trellis.createAll();
    // The new team changed the rights of the administrator, which the next request reads again.
    await trellis.data('{ viewer { user { uid } } }');
    for (const mutation of ['openInnerService', 'closeInnerService']) {
      trellis.statements.length = 0;
      await trellis.succeed(mutation, { port: { id: port.id } }, 'port { isInner }');
      // The port with what is above it, the actor, the component with its lock, the port, the update, the event together
      // with its deliveries and the application, and the commit. SQLite does the last two by themselves.
      expect(trellis.statements).toHaveLength(databaseKind === 'postgres' ? 7 : 9);
    }
  });
});
