import { isDeepStrictEqual } from 'node:util';
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  isAbstractType,
  isEnumType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { createWorld, type World } from '../support/surfaces-world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
  const { trellis, installed, template } = world;
  const upgrades = [{ storeName: 'self', templateId: template.key, version: '2.0.0' }];
  const input = { application: { appId: installed.appId }, upgrades };
  await trellis.succeed('upgradeApplication', input, '__typename');
  // Otherwise its last use would differ between two answers.
  const never = { lastUsedAt: new Date(Date.now() + 3_600_000) };
  await trellis.services.db.transaction((tx) => tx.accessToken.updateMany({ data: never }));
}, 240_000);
afterAll(() => world?.trellis.close());

const app = (selection: string) => `application(by: { appId: $app }) { ${selection} }`;
const installed = (selection: string) => `application(by: { appId: $installed }) { ${selection} }`;
const team = (selection: string) => `team(by: { teamId: $team }) { ${selection} }`;

/** Where a list of each type of entity is, all of them filled. */
const lists: Record<string, (list: string) => string> = {
  AccessToken: (list) => `viewer { accessTokens ${list} }`,
  Application: (list) => team(`applications ${list}`),
  Certificate: (list) => team(`certificates ${list}`),
  Component: (list) => app(`components ${list}`),
  ComponentRun: (list) => app(`components { nodes { runs ${list} } }`),
  DeployHook: (list) => app(`components { nodes { deployHooks ${list} } }`),
  EnvironmentVariable: (list) => installed(`components { nodes { variables ${list} } }`),
  Event: (list) => `events${list}`,
  GroupRole: (list) => team(`groupRoles ${list}`),
  HttpRule: (list) => app(`gatewayRules { http ${list} }`),
  Job: (list) => team(`jobs ${list}`),
  JobComponent: (list) => team(`jobs { nodes { components ${list} } }`),
  Preview: (list) => app(`previews ${list}`),
  Port: (list) => app(`components { nodes { ports ${list} } }`),
  Release: (list) => app(`components { nodes { releases ${list} } }`),
  RegistryCredential: (list) => team(`registryCredentials ${list}`),
  Schedule: (list) => app(`components { nodes { schedules ${list} } }`),
  Role: (list) => `viewer { enterprise { roles ${list} } }`,
  ServiceAccount: (list) => team(`serviceAccounts ${list}`),
  Trust: (list) => team(`serviceAccounts { nodes { trusts ${list} } }`),
  Region: (list) => team(`regions ${list}`),
  Session: (list) => `viewer { sessions ${list} }`,
  TcpRule: (list) => app(`gatewayRules { tcp ${list} }`),
  Team: (list) => `teams ${list}`,
  TeamMember: (list) => team(`members ${list}`),
  Template: (list) => `templates ${list}`,
  TemplateVersion: (list) => `templates { nodes { versions ${list} } }`,
  UpgradeRecord: (list) => installed(`upgradeRecords ${list}`),
  User: (list) => `viewer { enterprise { users ${list} } }`,
  Webhook: (list) => team(`webhooks ${list}`),
  WebhookDelivery: (list) => team(`webhooks { nodes { deliveries ${list} } }`),
  Volume: (list) => installed(`components { nodes { volumes ${list} } }`),
};

/** Fields for which all columns are read: of what they look at, more hangs on the row than they could name. */
const ofTheWholeRow = [
  'Application.gatewayRules',
  'Component.accessUrls',
  'Component.gatewayRules',
  'Component.source',
  'Enterprise.users',
  'Port.gatewayRules',
  'Region.credentials',
  'Region.health',
  'Region.usage',
  'Team.resources',
  'User.clientIp',
  'User.phone',
];

const entities = schema.getPossibleTypes(schema.getType('Node') as never) as readonly GraphQLObjectType[];
const isListed = ({ name }: GraphQLNamedType) => schema.getType(`${name}Connection`) !== undefined;

/** A leaf, with each value of the enum that it must be given, if it must be given one. */
function leaf({ name, args }: GraphQLField<unknown, unknown>): string {
  const required = args.find(isRequiredArgument);
  const named = required && getNamedType(required.type);
  if (!isEnumType(named)) return name;
  const values = named.getValues();
  return values.map((value) => `${name}_${value.name}: ${name}(${required!.name}: ${value.name})`).join(' ');
}

/** What is asked of a field: all leaves that an object has, and what a list holds. */
function selectionOf(field: GraphQLField<unknown, unknown>): string {
  const { type, name } = field;
  const named = getNamedType(type);
  if (isLeafType(named)) return leaf(field);
  if (isAbstractType(named) || !isObjectType(named)) return `${name} { __typename }`;
  if (named.name.endsWith('Connection')) return `${name} { totalCount nodes { id } }`;
  const leaves = Object.values(named.getFields()).filter((field) => isLeafType(getNamedType(field.type)));
  const nested = named.name === 'GatewayRules' ? 'http { nodes { id } } tcp { nodes { id } }' : '';
  const args = name === 'resources' ? '(region: { regionId: $region })' : '';
  return `${name}${args} { __typename ${leaves.map(leaf).join(' ')} ${nested} }`;
}

/** Whether an error is at this field of a row or below it. */
const isLate =
  (name: string) =>
  ({ path = [] }: { path?: (string | number)[] }) => {
    const [, ...below] = path.slice(path.indexOf('rows') + 1);
    return String(below.filter((step) => step !== 'node')[0]).split('_')[0] === name;
  };

/** The rows of the one list that an answer holds, in lists of parents one after the other. */
function rowsIn(data: any): any[] {
  if (Array.isArray(data)) return data.flatMap(rowsIn);
  if (data?.rows) return data.rows.map((row: any) => row.node ?? row);
  return Object.values(data ?? {}).flatMap((each) => (typeof each === 'object' ? rowsIn(each) : []));
}

const expected = ['REGION_UNAVAILABLE', 'NOT_FOUND'];

/** The rows of the type's list, with this asked of each. */
async function read(type: GraphQLObjectType, way: string, selection: string) {
  const list = lists[type.name]!(`{ ${way.replace('$', selection)} }`);
  const region = world.regions.main.regionId;
  const given = { team: world.team.teamId, app: world.appId, installed: world.installed.appId, region };
  const used = Object.entries(given).filter(([name]) => list.includes(`$${name} }`));
  const heads = used.map(([name, value]) => `$${name}: ${typeof value === 'string' ? 'String' : 'Int'}`);
  const query = `query${heads.length ? `(${heads.join(', ')})` : ''} { ${list} }`;
  const { data, errors = [] } = await world.trellis.graphql(query, Object.fromEntries(used));
  // Of regions that do not answer or are not opened; anything else would be a column that was not read.
  const unexpected = errors.filter(({ extensions }) => !expected.includes(extensions.code));
  expect(unexpected, query).toEqual([]);
  return { rows: rowsIn(data), errors };
}

const ways = ['rows: nodes { $ }', 'rows: edges { cursor node { $ } }'];

describe('the columns that a field names', () => {
  it('are tested for every list', () => {
    const listed = entities.filter(isListed).map(({ name }) => name);
    expect(Object.keys(lists).sort()).toEqual([...listed].sort());
  });

  // A row refuses to be asked for a column that was not read: too few make the field fail here.
  it.each(Object.keys(lists))('are enough for every field of %s', async (name) => {
    const type = schema.getType(name) as GraphQLObjectType;
    const fields = Object.values(type.getFields());
    const all = fields.map(selectionOf).join(' ');
    for (const way of ways) {
      let whole = await read(type, way, all);
      expect(whole.rows.length, name).toBeGreaterThan(0);
      for (const field of fields) {
        const readAlone = () => read(type, way, selectionOf(field));
        const isAsked = ([key]: [string, unknown]) => key.split('_')[0] === field.name;
        const expected = () =>
          whole.rows.map((row) => Object.fromEntries(Object.entries(row).filter(isAsked)));
        let alone = await readAlone();
        // A minute can begin between the two, which changes histories.
        if (!isDeepStrictEqual(alone.rows, expected())) {
          whole = await read(type, way, all);
          alone = await readAlone();
        }
        const what = `${name}.${field.name} in ${way}`;
        expect(alone.rows, what).toEqual(expected());
        expect(alone.errors.length, what).toBe(whole.errors.filter(isLate(field.name)).length);
      }
    }
  });

  it('are declared or exposed by every field, or the field is listed as reading all columns', () => {
    const silent = entities.flatMap(({ name, getFields }) =>
      Object.values(getFields.call(schema.getType(name) as GraphQLObjectType))
        .filter(({ extensions }) => {
          return !extensions.columns && typeof extensions.pothosExposedField !== 'string';
        })
        .map((field) => `${name}.${field.name}`),
    );
    expect(silent.sort()).toEqual(ofTheWholeRow);
  });

  it('are read for all aliases of a node, also where these use one name for different fields', async () => {
    const selections = [
      'edges { one: node { x: uid } two: node { x: name } }',
      'one: edges { node { x: uid } } two: edges { node { x: name } }',
    ];
    for (const selection of selections) {
      const { team } = await world.trellis.data(
        `query($team: String!) { team(by: { teamId: $team }) { applications { ${selection} } } }`,
        { team: world.team.teamId },
      );
      expect(JSON.stringify(team)).toContain(`"x":${world.appId}`);
    }
  });

  it('are the only columns that are read', async () => {
    const columnsOf = async (selection: string) => {
      const { trellis } = world;
      trellis.statements.length = 0;
      await trellis.data(`query { teams { ${selection} } } fragment F on Team { other: alias }`);
      const [text] = trellis.statements.filter((each) => each.includes('LIMIT'));
      const [, columns] = /SELECT (?:1, )?((?:t\."\w+"(?:, )?)+) FROM/.exec(text!)!;
      return columns!.match(/\w+(?=")/g)!.sort();
    };
    expect(await columnsOf('nodes { name ...F }')).toEqual(['alias', 'name']);
    expect(await columnsOf('nodes { name ...F @skip(if: true) }')).toEqual(['name']);
    expect(await columnsOf('edges { node { n: name ... on Node { id } ...F } }')).toEqual([
      'alias',
      'id',
      'name',
    ]);
    expect(await columnsOf('nodes { __typename ...F @skip(if: true) } totalCount')).toHaveLength(1);
    // A cursor is made of the columns of the order.
    expect(await columnsOf('pageInfo { endCursor } nodes { ...F }')).toEqual(['alias', 'id', 'name']);
  });
});
