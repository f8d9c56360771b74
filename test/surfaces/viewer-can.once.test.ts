import { createHook } from 'node:async_hooks';
import { type GraphQLEnumType, type GraphQLInputObjectType, getNamedType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { type ChangeCase, everyChange } from '../support/every-change.ts';
import type { All } from '../support/fixtures.ts';
import { useTrellis } from '../support/trellis.ts';

/** The types that tell what the caller may do, with the query and the field of inputs that names one of them. */
const types = {
  Team: { field: 'team', ref: 'TeamRef' },
  Region: { field: 'region', ref: 'RegionRef' },
  Application: { field: 'application', ref: 'ApplicationRef' },
  Component: { field: 'component', ref: 'ComponentRef' },
  Port: { field: 'port', ref: 'PortRef' },
} as const;
type Type = keyof typeof types;

/** What a team does in a region requires something in the team. */
const ofTheTeam = new Set([
  'applyManifest',
  'closeTeamRegion',
  'copyApplication',
  'createApplication',
  'importNamespace',
  'openTeamRegion',
  'setTeamQuota',
]);

const actionName = (mutation: string) => mutation.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

const inputFields = (mutation: string) => {
  const [input] = schema.getMutationType()!.getFields()[mutation]!.args;
  return (getNamedType(input!.type) as GraphQLInputObjectType).getFields();
};

/** The mutations that act on an object of the type, by what their inputs name. Rules name their port by its number. */
const actingOn = (type: Type) =>
  Object.keys(schema.getMutationType()!.getFields()).filter((mutation) => {
    if (type === 'Region' && ofTheTeam.has(mutation)) return false;
    const fields = inputFields(mutation);
    if (type === 'Port' && 'portNumber' in fields) return true;
    const field = fields[types[type].field];
    // A credential without a team is that of all teams.
    return field !== undefined && String(field.type).replace('!', '') === types[type].ref;
  });

const pairs = (Object.keys(types) as Type[]).flatMap((type) =>
  actingOn(type).map((mutation) => ({ type, mutation })),
);

const trellis = useTrellis();
let all: All;
let changes: Record<string, ChangeCase>;
/** Inputs that administrators of a team can send as well, where `changes` has one for administrators of the enterprise. */
let inputs: Record<string, () => Promise<object>>;
/** Who cannot do anything. */
let strangers: Record<string, string>;
/** Who can do some things. */
let callers: Record<string, string>;

beforeAll(async () => {
  all = await trellis.createAll();
  changes = await everyChange(trellis, all);
  const { teamId } = all.team;
  inputs = {
    addTeamMember: async () => {
      const { email } = await trellis.createPerson();
      return { team: { teamId }, user: { email }, role: 'VIEWER' };
    },
    openTeamRegion: async () => {
      const { regionId } = await trellis.createRegion({ scope: 'PUBLIC' });
      return { team: { teamId }, region: { regionId } };
    },
  };
  const [owner, admin, developer, viewer, outsider] = await Promise.all([
    trellis.createMember(teamId, 'OWNER'),
    trellis.createMember(teamId, 'ADMIN'),
    trellis.createMember(teamId, 'DEVELOPER'),
    trellis.createMember(teamId, 'VIEWER'),
    trellis.createMember((await trellis.createTeam()).teamId, 'OWNER'),
  ]);
  const readOnly = { name: 'reads', isReadOnly: true };
  const { secret } = await trellis.succeed('createAccessToken', readOnly, 'secret', owner.token);
  strangers = { outsider: outsider.token, viewer: viewer.token, 'owner, read-only': secret };
  callers = {
    developer: developer.token,
    admin: admin.token,
    owner: owner.token,
    administrator: trellis.adminToken,
  };
});

/** A reference to the object of the type that an input names. */
const refIn = (type: Type, input: any) =>
  type === 'Port' && 'portNumber' in input
    ? { at: { component: input.component, number: input.portNumber } }
    : input[types[type].field];

async function viewerCan(type: Type, ref: object, mutation: string, token: string) {
  const { field, ref: refType } = types[type];
  const { data, errors } = await trellis.graphql(
    `query Q($by: ${refType}!, $action: ${type}Action!) { ${field}(by: $by) { viewerCan(action: $action) } }`,
    { by: ref, action: actionName(mutation) },
    token,
  );
  // Somebody who does not see the object cannot ask.
  if (errors?.[0]?.extensions.code === 'NOT_FOUND') return false;
  expect(errors).toBeUndefined();
  return data[field].viewerCan as boolean;
}

/** Whether the mutation does it, or answers that the caller may not. */
async function isDone(mutation: string, input: object, token: string) {
  const result = await trellis.attempt(mutation, input, '__typename', token);
  if (result.code === undefined) return true;
  expect(result).toMatchObject({ code: expect.stringMatching(/^(FORBIDDEN|NOT_FOUND)$/) });
  return false;
}

describe('viewerCan', () => {
  it.each(Object.keys(types) as Type[])('of %s has an action for every mutation of one', (type) => {
    const actions = (schema.getType(`${type}Action`) as GraphQLEnumType).getValues();
    expect(actions.map(({ name }) => name).sort()).toEqual(actingOn(type).map(actionName).sort());
  });

  it.each([...new Set(pairs.map(({ mutation }) => mutation))])('agrees with %s', async (mutation) => {
    const { dryRun } = inputFields(mutation);
    const input = () => (inputs[mutation] ?? changes[mutation]!.input)();
    const first = await input();
    const agrees = async ([caller, token]: [string, string], given: object, isDry: boolean) => {
      const can = await Promise.all(
        pairs
          .filter((pair) => pair.mutation === mutation)
          .map(({ type }) => viewerCan(type, refIn(type, given), mutation, token)),
      );
      const done = await isDone(mutation, isDry ? { ...given, dryRun: true } : given, token);
      expect({ caller, can }).toEqual({ caller, can: can.map(() => done) });
      return done;
    };
    // Who is refused changes nothing. A dry run is not used here, because read-only tokens may make one.
    const refused = Object.entries(strangers).map((caller) => agrees(caller, first, false));
    expect(await Promise.all(refused)).toEqual([false, false, false]);
    let given: object | undefined = first;
    for (const caller of Object.entries(callers)) {
      given ??= await input();
      const done = await agrees(caller, given, dryRun !== undefined);
      if (done && !dryRun) given = undefined;
    }
  });

  it.each([
    ['undeploy', ['DEPLOY', 'SCALE']],
    ['running', ['DEPLOY', 'RESTART', 'SCALE', 'STOP']],
    ['closed', ['DEPLOY', 'SCALE', 'START']],
  ])('knows what a component in the state %s can do', async (state, possible) => {
    const deploy = state !== 'undeploy';
    const { componentId } = await trellis.createComponent(all.application.appId, { deploy });
    const component = { componentId };
    if (state === 'closed') await trellis.succeed('stopComponent', { component }, '__typename');
    const moves = ['deploy', 'restart', 'scale', 'start', 'stop'];
    const can = await Promise.all(
      moves.map((move) => viewerCan('Component', component, `${move}Component`, callers.developer!)),
    );
    expect(moves.filter((_, index) => can[index]).map((move) => move.toUpperCase())).toEqual(possible);
    for (const [index, move] of moves.entries()) {
      if (can[index]) continue;
      const refused = await trellis.attempt(`${move}Component`, { component });
      expect(refused).toMatchObject({ code: 'CONFLICT' });
    }
  });

  it('decides once for an object and an action, however many aliases select it', async () => {
    const { appId } = all.application;
    for (let index = 0; index < 4; index++) await trellis.createComponent(appId);
    /** The promises that are made for each further alias and component. */
    const promisesOf = async (token: string) => {
      const made = async (aliases: number) => {
        const fields = Array.from(
          { length: aliases },
          (_, index) => `a${index}: viewerCan(action: ADD_PORT)`,
        );
        const query = `{ application(by: { appId: ${appId} }) { components(first: 4) { nodes { ${fields.join(' ')} } } } }`;
        await trellis.graphql(query, {}, token);
        let promises = 0;
        const hook = createHook({ init: (_, type) => void (type === 'PROMISE' && promises++) }).enable();
        const { errors } = await trellis.graphql(query, {}, token);
        hook.disable();
        expect(errors).toBeUndefined();
        return promises;
      };
      return ((await made(501)) - (await made(1))) / 2_000;
    };
    // The executor makes one to wait for the answer.
    expect(await promisesOf(callers.developer!)).toBeLessThan(1.5);
    expect(await promisesOf(strangers.viewer!)).toBeLessThan(0.5);
  });

  it('knows which ports can have HTTP rules', async () => {
    const { componentId } = await trellis.createComponent(all.application.appId);
    for (const [number, protocol] of [
      [80, 'HTTP'],
      [81, 'TCP'],
    ] as const) {
      await trellis.addPort(componentId, number, { protocol });
      const at = { component: { componentId }, number };
      const token = callers.developer!;
      expect(await viewerCan('Port', { at }, 'createHttpRule', token)).toBe(protocol === 'HTTP');
      expect(await viewerCan('Port', { at }, 'createTcpRule', token)).toBe(true);
    }
  });

  it('knows that nothing changes in a region that is not enabled', async () => {
    const there = await trellis.createAll();
    const update = (status: string) =>
      trellis.succeed('updateRegion', { region: { regionId: there.region.regionId }, status }, '__typename');
    await update('MAINTENANCE');
    const objects = {
      Application: { appId: there.application.appId },
      Component: { componentId: there.component.componentId },
      Port: { id: there.port.id },
    };
    const can = async () =>
      (
        await Promise.all(
          pairs.map(async ({ type, mutation }) => {
            const ref = objects[type as keyof typeof objects];
            if (!ref) return [];
            return (await viewerCan(type, ref, mutation, trellis.adminToken)) ? [mutation] : [];
          }),
        )
      ).flat();
    expect(await can()).toEqual(['publishApplication']);
    await update('ENABLED');
    expect((await can()).length).toBeGreaterThan(20);
  });

  it('takes as many statements for many objects as for one', async () => {
    const query = `query Q($first: Int!) { application(by: { appId: ${all.application.appId} }) {
      components(first: $first) { nodes {
        viewerCan(action: DEPLOY_COMPONENT)
        delete: viewerCan(action: DELETE_COMPONENT)
        ports(first: $first) { nodes { viewerCan(action: OPEN_OUTER_SERVICE) } }
      } }
    } }`;
    for (let more = 0; more < 3; more++) {
      const { componentId } = await trellis.createComponent(all.application.appId);
      await trellis.addPort(componentId, 80);
    }
    const statements = async (first: number) => {
      await trellis.data(query, { first }, callers.developer);
      trellis.statements.length = 0;
      await trellis.data(query, { first }, callers.developer);
      return trellis.statements.length;
    };
    expect(await statements(20)).toBe(await statements(1));
  });
});
