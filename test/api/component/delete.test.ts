import { beforeAll, describe, expect, it } from 'vitest';
import { deleteAsPlanned } from '../../support/deletions.ts';
import { failStatement } from '../../support/failing.ts';
import { type Place, unique } from '../../support/fixtures.ts';
import { expectConsistent } from '../../support/invariants.ts';
import { useTrellis } from '../../support/trellis.ts';
import { contentsOf } from '../../support/unchanged.ts';

const trellis = useTrellis();
let place: Place;
let appId: number;
beforeAll(async () => {
  place = await trellis.createPlace();
  appId = (await trellis.createApplication(place)).appId;
});

const jobFields = 'job { kind status components { nodes { componentUid action } } }';

const remove = (componentId: string, options: object = {}) =>
  deleteAsPlanned(
    trellis,
    'deleteComponent',
    { component: { componentId }, ...options },
    `component { uid } ${jobFields}`,
  );

const tryRemove = (componentId: string, options: object = {}) =>
  trellis.attempt('deleteComponent', { component: { componentId }, ...options });

const httpRule = (componentId: string, domain: string, path = '/') =>
  trellis.succeed(
    'createHttpRule',
    { application: { appId }, component: { componentId }, portNumber: 80, domain, path, opensPort: true },
    'rule { id }',
  );

/** A component with everything that can belong to one. */
async function createFull() {
  const alias = unique('full');
  const dependency = await trellis.createComponent(appId);
  const component = await trellis.createComponent(appId, {
    alias,
    name: alias,
    variables: [
      { name: 'A', value: '1' },
      { name: 'PASSWORD', value: 'secret' },
    ],
    volumes: [{ name: 'data', path: '/data', type: 'local' }],
    dependencies: [{ componentId: dependency.componentId }],
  });
  const { componentId } = component;
  await trellis.addPort(componentId, 80);
  await trellis.addPort(componentId, 5432, { protocol: 'TCP' });
  const domain = `${unique('www')}.example`;
  await httpRule(componentId, domain);
  await trellis.succeed(
    'openOuterService',
    { port: { at: { component: { componentId }, number: 5432 } } },
    'port { id }',
  );
  return { ...component, dependency, domain };
}

const removalsOf = async (componentId: string) => {
  const rows = await trellis.services.db.query(
    'SELECT j.kind, j.status, c.action, c.status, c.generation, c.removed, c.component_id FROM job j JOIN job_component c ON c.job_id = j.id',
    [],
  );
  return rows.filter((row) => row[6] === componentId && row[0] === 'delete').map((row) => row.slice(0, 6));
};

describe('deleteComponent', () => {
  it('removes the component with all that belongs to it, and records each object', async () => {
    const { componentId, alias, domain, dependency } = await createFull();
    const { payload, done } = await remove(componentId);
    expect(payload.component.uid).toBe(componentId);
    const upper = alias.toUpperCase().replaceAll('-', '_');
    expect(done).toEqual([
      `http_rule.delete ${domain}`,
      expect.stringMatching(/^tcp_rule\.delete 0\.0\.0\.0:\d+$/),
      `domain.release ${domain}`,
      `port.delete ${upper}_80`,
      `port.delete ${upper}_5432`,
      `component.delete ${alias}`,
    ]);
    const { events } = await trellis.data(
      '{ events(first: 1) { nodes { objectUid changes { field before: oldValue after: newValue } } } }',
    );
    const changes = Object.fromEntries(
      events.nodes[0].changes.map((each: any) => [each.field, [each.before, each.after]]),
    );
    expect(events.nodes[0].objectUid).toBe(componentId);
    expect(changes).toMatchObject({
      alias: [alias, null],
      variables: [['A', 'PASSWORD'], null],
      volumes: [['/data'], null],
      dependencies: [[dependency.componentId], null],
    });
    expect(await tryRemove(componentId)).toMatchObject({ code: 'NOT_FOUND' });
    const { data, errors } = await trellis.graphql(
      `{ component(by: { componentId: "${componentId}" }) { name } }`,
    );
    expect([data.component, errors?.[0]?.extensions.code]).toEqual([null, 'NOT_FOUND']);
  });

  it('frees the alias, the inner domain, the domain and the TCP port for others', async () => {
    const { componentId, alias, domain } = await createFull();
    const endpointOf = async (id: string) => {
      const by = `{ componentId: "${id}" }`;
      const { component } = await trellis.data(
        `{ component(by: ${by}) { gatewayRules { tcp { nodes { endpoint } } } } }`,
      );
      return component.gatewayRules.tcp.nodes[0].endpoint;
    };
    const endpoint = await endpointOf(componentId);
    await remove(componentId);
    const again = await trellis.createComponent(appId, { alias });
    const port = await trellis.addPort(again.componentId, 5432, { protocol: 'TCP' });
    expect(port.serviceName).toBe(alias);
    await trellis.succeed('openOuterService', { port: { id: port.id } }, 'port { id }');
    expect(await endpointOf(again.componentId)).toBe(endpoint);
    // Another team can take the domain.
    const other = await trellis.createPlace();
    const region = { regionId: place.region.regionId };
    await trellis.succeed('openTeamRegion', { team: { teamId: other.team.teamId }, region }, 'team { uid }');
    const theirs = await trellis.createApplication({ ...other, region: place.region });
    const their = await trellis.createComponent(theirs.appId);
    await trellis.addPort(their.componentId, 80);
    await trellis.succeed(
      'createHttpRule',
      {
        application: { appId: theirs.appId },
        component: { componentId: their.componentId },
        portNumber: 80,
        domain,
      },
      'rule { id }',
    );
    await expectConsistent(trellis);
  });

  it('keeps a domain that another component uses as well', async () => {
    const domain = `${unique('shared')}.example`;
    const [one, other] = [await trellis.createComponent(appId), await trellis.createComponent(appId)];
    for (const { componentId } of [one, other]) {
      await trellis.addPort(componentId, 80);
      await httpRule(componentId, domain);
    }
    expect((await remove(one.componentId)).done).not.toContain(`domain.release ${domain}`);
    expect((await remove(other.componentId)).done).toContain(`domain.release ${domain}`);
  });

  it('refuses a component that is deployed, unless forced', async () => {
    const { componentId, alias } = await trellis.createComponent(appId, { deploy: true });
    const before = await contentsOf(trellis);
    for (const dryRun of [true, false]) {
      expect(await tryRemove(componentId, { dryRun })).toMatchObject({
        code: 'CONFLICT',
        message: `A component is deployed: ${alias}. Stop it first, or set \`force\`.`,
      });
    }
    expect(await contentsOf(trellis)).toEqual(before);
    const { payload, dryRun } = await remove(componentId, { force: true });
    expect(payload.job).toEqual({
      kind: 'DELETE',
      status: 'SUCCEEDED',
      components: { nodes: [{ componentUid: componentId, action: 'REMOVE' }] },
    });
    expect(dryRun.job).toBeNull();
    expect(await removalsOf(componentId)).toMatchObject([
      [
        'delete',
        'succeeded',
        'remove',
        'succeeded',
        expect.any(Number),
        expect.stringMatching(new RegExp(`"id":"${componentId}".*"clusterName":"${alias}"`)),
      ],
    ]);
  });

  it('leaves no job of a component that was never deployed', async () => {
    const { componentId } = await trellis.createComponent(appId);
    const { payload } = await remove(componentId);
    expect(payload.job).toBeNull();
    expect(await removalsOf(componentId)).toEqual([]);
  });

  it('names the components that depend on it, and removes their dependencies if forced', async () => {
    const database = await trellis.createComponent(appId);
    const dependencies = [{ componentId: database.componentId }];
    const elsewhere = (await trellis.createApplication(place)).appId;
    const one = await trellis.createComponent(appId, { dependencies, deploy: true });
    const other = await trellis.createComponent(elsewhere, { dependencies });
    const refused = await tryRemove(database.componentId);
    expect(refused.code).toBe('CONFLICT');
    for (const { alias } of [one, other]) {
      expect(refused.message).toContain(`${alias} on ${database.alias}`);
    }
    const { done } = await remove(database.componentId, { force: true });
    expect(done).toEqual([
      'component.delete_dependency null',
      'component.delete_dependency null',
      `component.delete ${database.alias}`,
    ]);
    const { a, b } = await trellis.data(`{
      a: component(by: { componentId: "${one.componentId}" }) { dependencies { totalCount } }
      b: component(by: { componentId: "${other.componentId}" }) { dependencies { totalCount } } }`);
    expect([a.dependencies.totalCount, b.dependencies.totalCount]).toEqual([0, 0]);
    const rows = await trellis.services.db.query('SELECT id, has_undeployed_changes FROM component', []);
    const hasChanges = new Map(rows.map(([id, value]) => [id, Boolean(value)]));
    // What was never deployed has nothing to deploy again.
    expect([hasChanges.get(one.componentId), hasChanges.get(other.componentId)]).toEqual([true, false]);
  });

  it('refuses while the region is not enabled', async () => {
    const { componentId } = await trellis.createComponent(appId);
    const region = { regionId: place.region.regionId };
    await trellis.succeed('updateRegion', { region, status: 'MAINTENANCE' }, 'region { uid }');
    expect(await tryRemove(componentId)).toMatchObject({ code: 'CONFLICT' });
    expect(await trellis.attempt('deleteApplication', { application: { appId } })).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('not enabled'),
    });
    await trellis.succeed('updateRegion', { region, status: 'ENABLED' }, 'region { uid }');
    await remove(componentId);
  });

  it('lets a read-only token make a dry run only', async () => {
    const { componentId } = await trellis.createComponent(appId);
    const { secret } = await trellis.succeed(
      'createAccessToken',
      { name: 'reader', isReadOnly: true },
      'secret',
    );
    const asReader = (dryRun: boolean) =>
      trellis.attempt('deleteComponent', { component: { componentId }, dryRun }, 'plan { action }', secret);
    expect(await asReader(true)).toMatchObject({ plan: [{ action: 'component.delete' }] });
    expect(await asReader(false)).toMatchObject({ code: 'FORBIDDEN' });
  });

  it('changes nothing when any of its statements fails', async () => {
    const { componentId, dependency } = await createFull();
    await trellis.createComponent(appId, { dependencies: [{ componentId }] });
    const before = await contentsOf(trellis);
    const failAt = async (statement: number) => {
      const restore = failStatement(trellis, statement);
      const result = await trellis.graphql(
        'mutation M($input: DeleteComponentInput!) { deleteComponent(input: $input) { __typename } }',
        { input: { component: { componentId }, force: true } },
      );
      return { result, count: restore() };
    };
    let statement = 1;
    for (; ; statement++) {
      const { result, count } = await failAt(statement);
      if (count < statement) break;
      expect(result.errors?.[0]?.extensions.code).toBe('INTERNAL');
      expect(await contentsOf(trellis)).toEqual(before);
    }
    expect(statement).toBeGreaterThan(15);
    await expectConsistent(trellis);
    expect(await tryRemove(componentId)).toMatchObject({ code: 'NOT_FOUND' });
    await remove(dependency.componentId);
  });
});
