import { isInputObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import type { Place } from '../support/fixtures.ts';
import { createMigratedDatabase, startTrellis, type TestDatabase, type Trellis } from '../support/trellis.ts';

let database: TestDatabase;
let trellis: Trellis;
/** Another gateway on the same database. */
let second: Trellis;
let place: Place;
let appId: number;
beforeAll(async () => {
  database = await createMigratedDatabase();
  trellis = await startTrellis({ database: { url: database.url } });
  second = await startTrellis({ database: { url: database.url } });
  place = await trellis.createPlace();
  appId = (await trellis.createApplication(place)).appId;
});
afterAll(async () => {
  await Promise.all([trellis?.close(), second?.close()]);
  await database?.drop();
});

/** Mutations that create an object. A dependency is a change of its component. */
const creates = /^(?:create|add(?!Dependency))/;

/** Other mutations that take no expected revision, each with its reason. */
const withoutRevision = new Set([
  // They create an object.
  'runComponent',
  // The plan has a digest.
  'applyManifest',
  ...['copyApplication', 'openPreview', 'importNamespace', 'installApplication', 'openTeamRegion'],
  // These are never changed, only revoked, removed and ended.
  ...['revokeAccessToken', 'removeTrust', 'endSession'],
  // These send a message, and leave the webhook as it is.
  ...['testWebhook', 'redeliver'],
  // These delete objects of the cluster.
  ...['deleteInstance', 'removeRegionOrphans', 'deleteVolumeSnapshot'],
  // This writes the data of a volume, and not what Trellis stores of it.
  'restoreVolumeSnapshot',
]);

const revisionOf = async (what: string) => Object.values<any>(await trellis.data(`{ ${what} }`))[0].revision;
const component = (id: string) => `component(by: { componentId: "${id}" }) { revision }`;

describe('an expected revision', () => {
  it('is taken by every mutation that changes or deletes an object', () => {
    const mutations = Object.values(schema.getMutationType()!.getFields());
    const without = mutations.filter(({ args: [input] }) => {
      const type = 'ofType' in input!.type ? input!.type.ofType : input!.type;
      return !(isInputObjectType(type) && 'expectedRevision' in type.getFields());
    });
    const names = without.map(({ name }) => name).filter((name) => !creates.test(name));
    expect(names.sort()).toEqual([...withoutRevision].sort());
  });

  it('is compared in a dry run as well', async () => {
    const { componentId } = await trellis.createComponent(appId);
    const input = { component: { componentId }, dryRun: true };
    const refused = await trellis.attempt('deployComponent', { ...input, expectedRevision: 2 });
    expect(refused).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('revision is 1, but 2'),
    });
    await trellis.succeed('deployComponent', { ...input, expectedRevision: 1 }, '__typename');
  });

  it('tells nothing of an object that is hidden', async () => {
    const { componentId } = await trellis.createComponent(appId);
    const { token } = await trellis.createPerson();
    const refused = (id: string, revision?: number) => {
      const input = { component: { componentId: id }, name: 'x', expectedRevision: revision };
      return trellis.attempt('updateComponent', input, '__typename', token);
    };
    const unknown = await refused('unknown', 7);
    expect(unknown).toMatchObject({ code: 'NOT_FOUND' });
    for (const revision of [undefined, 1, 7]) expect(await refused(componentId, revision)).toEqual(unknown);
  });

  it('can be given for each variable', async () => {
    const { componentId } = await trellis.createComponent(appId, {
      variables: [
        { name: 'A', value: '1' },
        { name: 'B', value: '1' },
      ],
    });
    const set = (variables: object[], remove: object[] = []) =>
      trellis.attempt('setVariables', { component: { componentId }, set: variables, remove });
    const read = async () => {
      const { component: found } = await trellis.data(
        `{ component(by: { componentId: "${componentId}" }) { revision variables { nodes { name value revision } } } }`,
      );
      return found;
    };
    await set([{ name: 'A', value: '2', expectedRevision: 1 }]);
    const changed = {
      revision: 2,
      variables: {
        nodes: [
          { name: 'A', value: '2', revision: 2 },
          { name: 'B', value: '1', revision: 1 },
        ],
      },
    };
    expect(await read()).toEqual(changed);
    const stale = { name: 'A', value: '3', expectedRevision: 1 };
    expect((await set([{ name: 'B', value: '9' }, stale])).message).toContain('The variable A has changed');
    expect((await set([], [{ name: 'A', expectedRevision: 1 }])).message).toContain(
      'The variable A has changed',
    );
    expect((await set([{ ...stale, name: 'C' }])).message).toBe('The variable C does not exist.');
    expect(await read()).toEqual(changed);
  });
});

describe('revisions', () => {
  it('do not change when nothing else does', async () => {
    const { componentId } = await trellis.createComponent(appId, { deploy: true });
    const by = { component: { componentId } };
    await trellis.addPort(componentId, 80);
    const port = { at: { ...by, number: 80 } };
    const { port: opened } = await trellis.succeed('openInnerService', { port }, 'port { revision }');
    expect(opened.revision).toBe(2);
    const { port: again } = await trellis.succeed('openInnerService', { port }, 'port { revision }');
    expect(again.revision).toBe(2);
    const revision = await revisionOf(component(componentId));
    await trellis.succeed('scaleComponent', { ...by, replicas: 1 }, '__typename');
    await trellis.succeed('updateComponent', { ...by, replicas: 1 }, '__typename');
    await trellis.succeed('setVariables', { ...by, remove: [{ name: 'NONE' }] }, '__typename');
    expect(await revisionOf(component(componentId))).toBe(revision);
  });

  it('of a component and an application do not count what has a revision of its own', async () => {
    const app = await trellis.createApplication(place);
    const { componentId } = await trellis.createComponent(app.appId);
    const volume = { component: { componentId }, name: 'data', path: '/data', type: 'local' };
    const added = await trellis.succeed('addVolume', volume, 'volume { id revision } component { revision }');
    expect(added).toMatchObject({ volume: { revision: 1 }, component: { revision: 1 } });
    const input = { volume: { id: added.volume.id }, path: '/other', expectedRevision: 1 };
    const { volume: moved } = await trellis.succeed('updateVolume', input, 'volume { revision }');
    expect(moved.revision).toBe(2);
    expect(await revisionOf(component(componentId))).toBe(1);
    expect(await revisionOf(`application(by: { appId: ${app.appId} }) { revision }`)).toBe(1);
  });

  it('of all ports of a component count that its internal domain name changes', async () => {
    const { componentId } = await trellis.createComponent(appId);
    for (const number of [80, 81]) {
      await trellis.addPort(componentId, number);
      const port = { at: { component: { componentId }, number } };
      await trellis.succeed('openInnerService', { port }, '__typename');
    }
    const rename = {
      port: { at: { component: { componentId }, number: 80 } },
      alias: 'WEB',
      serviceName: `s${appId}`,
    };
    await trellis.succeed('changePortAlias', rename, '__typename');
    const { component: found } = await trellis.data(
      `{ component(by: { componentId: "${componentId}" }) {
        ports { nodes { revision } } variables { nodes { isDerived revision } } } }`,
    );
    expect(found.ports.nodes).toEqual([{ revision: 3 }, { revision: 3 }]);
    // A derived variable has the revision of its port.
    expect(found.variables.nodes).toEqual(Array(4).fill({ isDerived: true, revision: 3 }));
  });

  it('make lost updates impossible for clients of two gateways', async () => {
    const { componentId } = await trellis.createComponent(appId, {
      variables: [{ name: 'COUNT', value: '0' }],
    });
    const query = `{ component(by: { componentId: "${componentId}" }) {
      name revision variables { nodes { value } } } }`;
    const gateways = [trellis, second];
    const rounds = 3;
    /** Adds one to a number in the name and to a variable, until it has succeeded often enough. Answers the conflicts. */
    const client = async (index: number) => {
      let conflicts = 0;
      for (let done = 0; done < rounds; ) {
        const gateway = gateways[index % 2]!;
        const { component: found } = await gateway.data(query, {}, trellis.adminToken);
        const isVariable = done % 2 === index % 2;
        const change = isVariable
          ? { set: [{ name: 'COUNT', value: String(Number(found.variables.nodes[0].value) + 1) }] }
          : { name: String(Number(found.name.match(/^\d+$/)?.[0] ?? 0) + 1) };
        const answer = await gateway.attempt(
          isVariable ? 'setVariables' : 'updateComponent',
          { component: { componentId }, expectedRevision: found.revision, ...change },
          '__typename',
          trellis.adminToken,
        );
        if (answer.code) {
          expect(answer).toMatchObject({
            code: 'CONFLICT',
            message: expect.stringContaining('its revision is'),
          });
          conflicts++;
        } else {
          done++;
        }
      }
      return conflicts;
    };
    const clients = 4;
    const conflicts = await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
    const { component: found } = await trellis.data(query);
    expect(Number(found.name) + Number(found.variables.nodes[0].value)).toBe(clients * rounds);
    expect(found.revision).toBe(1 + clients * rounds);
    // They did meet.
    expect(conflicts.reduce((sum, each) => sum + each)).toBeGreaterThan(0);
  });
});
