import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { upgradedGroup } from '../support/installs.ts';
import { createWorld, type World } from '../support/surfaces-world.ts';

let world: World;
let enterpriseId: string;

/** Another team, with several of what hangs below it, so that no two levels have the same number of rows. */
beforeAll(async () => {
  world = await createWorld();
  const { trellis } = world;
  const place = await trellis.createPlace();
  const credential = { host: 'registry.example', username: 'trellis', password: 'a password' };
  await trellis.succeed('createRegistryCredential', credential, 'credential { id }');
  const ofTeam = { ...credential, team: { teamId: place.team.teamId } };
  await trellis.succeed('createRegistryCredential', ofTeam, 'credential { id }');
  const made: string[] = [];
  for (const components of [1, 2, 4]) {
    const application = await trellis.createApplication(place);
    if (components === 1) {
      await upgradedGroup(trellis, application.appId);
      await trellis.succeed(
        'publishApplication',
        { application: { appId: application.appId }, version: '1.0.0', catalogue: 'TEAM' },
        'template { uid }',
      );
    }
    for (let nth = 0; nth < components; nth++) {
      const { componentId } = await trellis.createComponent(application.appId);
      made.push(componentId);
      for (let number = 8000; number <= 8000 + nth; number++) await trellis.addPort(componentId, number);
    }
  }
  // Names that an earlier version allowed twice.
  await trellis.services.db.transaction(async (tx) => {
    const [first, ...others] = made as [string, ...string[]];
    const { clusterName } = await tx.component.findUniqueOrThrow({ where: { id: first } });
    const data = { clusterName, ownedClusterName: null };
    await tx.component.updateMany({ where: { id: { in: others.slice(0, 4) } }, data });
  });
  const { viewer } = await trellis.data('{ viewer { enterprise { uid } } }');
  enterpriseId = viewer.enterprise.uid;
}, 240_000);
afterAll(() => world?.trellis.close());

const nameOf = (type: unknown) => getNamedType(type as GraphQLObjectType).name;
const isConnection = ({ type }: GraphQLField<unknown, unknown>) => nameOf(type).endsWith('Connection');
const isNode = (type: GraphQLObjectType) => type.getInterfaces().some(({ name }) => name === 'Node');
const window = new Set(['first', 'after', 'last', 'before']);

/** Values of scalar arguments, by their names. An argument that is not here fails the test. */
const scalars = (): Record<string, string[]> => ({
  search: ['a', 'shop'],
  words: ['a', 'shop', 'e team'],
  image: ['nginx', '/'],
  kind: ['web'],
  templateId: [world.template.key],
  enterpriseId: [enterpriseId],
  teamId: [world.team.teamId],
  name: [world.regions.main.name],
  action: ['team.create', 'component.create'],
  objectType: ['Component'],
  objectUid: [world.team.teamId],
  email: ['admin@trellis.example'],
  since: ['2020-01-01T00:00:00Z'],
  until: ['2099-01-01T00:00:00Z', '2020-01-01T00:00:00Z'],
});

/** Literals to pass for an argument or an input's field; of an input, one for each value of each of its fields. */
function literalsOf({ name, type: wrapped }: GraphQLArgument | GraphQLInputField): string[] {
  const type = getNullableType(wrapped) as GraphQLInputType;
  const named = getNamedType(type);
  const list = (values: string[]) => (isListType(type) ? values.map((value) => `[${value}]`) : values);
  if (isEnumType(named)) return list(named.getValues().map((value) => value.name));
  if (named.name === 'Boolean') return ['true', 'false'];
  if (named.name.endsWith('Ref')) {
    const fields = Object.values(isInputObjectType(named) ? named.getFields() : {});
    const known = fields.filter((field) => scalars()[field.name]);
    return known.flatMap((field) => literalsOf(field).map((value) => `{ ${field.name}: ${value} }`));
  }
  if (isInputObjectType(named)) {
    return Object.values(named.getFields()).flatMap((field) =>
      literalsOf(field).map((value) => `{ ${field.name}: ${value} }`),
    );
  }
  return list((scalars()[name] ?? []).map((value) => JSON.stringify(value)));
}

/** A connection below an object: the fields that lead to it, and the arguments of one read. */
interface Asked {
  /** `Type.field`, and with its argument `Type.field(argument)`. */
  name: string;
  path: string[];
  field: string;
  args: string;
}

/** What an argument cannot be without. */
const beside: Record<string, (() => string) | undefined> = {
  'Query.applications(region)': () => `, team: { name: "${world.team.name}" }`,
  'Query.components(region)': () => `, team: { name: "${world.team.name}" }`,
};

/** The connections of a type and of the objects in it that have no id, each without arguments and with each of them. */
function askedOf(type: GraphQLObjectType, path: string[] = []): Asked[] {
  return Object.values(type.getFields()).flatMap((field): Asked[] => {
    if (field.args.some(isRequiredArgument)) return [];
    const of = getNamedType(field.type);
    const base = { name: `${type.name}.${field.name}`, path, field: field.name };
    if (isConnection(field)) {
      const filters = field.args.filter(({ name }) => !window.has(name) && name !== 'orderBy');
      return [
        { ...base, args: '' },
        ...filters.flatMap((arg) =>
          literalsOf(arg).map((value) => ({
            ...base,
            name: `${base.name}(${arg.name})`,
            args: `, ${arg.name}: ${value}${beside[`${base.name}(${arg.name})`]?.() ?? ''}`,
          })),
        ),
      ];
    }
    const isInner = isObjectType(of) && !isNode(of) && !isListType(getNullableType(field.type));
    return isInner && path.length < 2 ? askedOf(of, [...path, field.name]) : [];
  });
}

/** Every name that `askedOf` must have, so that an argument without a value is noticed. */
function filtersOfSchema(): string[] {
  return Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type)
      ? Object.values(type.getFields())
          .filter(isConnection)
          .flatMap((field) => [
            `${type.name}.${field.name}`,
            ...field.args
              .filter(({ name }) => !window.has(name) && name !== 'orderBy')
              .map(({ name }) => `${type.name}.${field.name}(${name})`),
          ])
      : [],
  );
}

/** The number of items on a page. Small, so that most lists have several pages. */
const pageSize = 3;
/** The number of objects of a type whose connections are read. */
const mostOfType = 10;
const mostAtOnce = 12;

interface Read {
  asked: Asked;
  after: string | null;
  length: number;
  totalCounts: Set<number>;
}

class Walk {
  readonly differing: string[] = [];
  /** The connections, without and with each argument, that were read to their ends. */
  readonly read = new Set<string>();
  readonly filled = new Set<string>();
  readonly #token: string;
  readonly #ids = new Map<string, Set<string>>();
  readonly #left: { type: GraphQLObjectType; id: string }[] = [];

  constructor(token: string) {
    this.#token = token;
  }

  async run(): Promise<this> {
    const { viewer } = await world.trellis.data(
      '{ viewer { user { id } enterprise { id } } }',
      {},
      this.#token,
    );
    this.#add('User', viewer.user.id);
    this.#add('Enterprise', viewer.enterprise.id);
    await this.#readAll(schema.getQueryType()!, undefined);
    for (let next = this.#left.shift(); next; next = this.#left.shift())
      await this.#readAll(next.type, next.id);
    return this;
  }

  #add(typeName: string, id: string): void {
    const ids = this.#ids.get(typeName) ?? new Set();
    this.#ids.set(typeName, ids);
    const type = schema.getType(typeName);
    if (ids.has(id) || ids.size === mostOfType || !isObjectType(type) || !isNode(type)) return;
    ids.add(id);
    this.#left.push({ type, id });
  }

  /** All connections of an object, each page by page. */
  async #readAll(type: GraphQLObjectType, id: string | undefined): Promise<void> {
    const all = askedOf(type);
    for (let start = 0; start < all.length; start += mostAtOnce) {
      let reads = all
        .slice(start, start + mostAtOnce)
        .map((asked): Read => ({ asked, after: null, length: 0, totalCounts: new Set() }));
      while (reads.length > 0) reads = await this.#readPages(type, id, reads);
    }
  }

  /** A page of each. Returns those that have more. */
  async #readPages(type: GraphQLObjectType, id: string | undefined, reads: Read[]): Promise<Read[]> {
    const selected = reads.map(({ asked, after }, index) => {
      const of = schema.getType(asked.name.split('.')[0]!) as GraphQLObjectType;
      const connection = getNamedType(of.getFields()[asked.field]!.type) as GraphQLObjectType;
      const item = getNamedType(connection.getFields().nodes!.type) as GraphQLObjectType;
      const args = `first: ${pageSize}${asked.args}${after ? `, after: ${JSON.stringify(after)}` : ''}`;
      const page = `a${index}: ${asked.field}(${args}) { totalCount nodes { __typename ${isNode(item) ? 'id' : ''} } pageInfo { hasNextPage endCursor } }`;
      return asked.path.reduceRight((inner, name, depth) => `p${index}_${depth}: ${name} { ${inner} }`, page);
    });
    const query = id
      ? `query($id: ID!) { node(id: $id) { ... on ${type.name} { ${selected.join('\n')} } } }`
      : `{ ${selected.join('\n')} }`;
    const { data, errors = [] } = await world.trellis.graphql(query, id ? { id } : {}, this.#token);
    // A region that is not open for the team, and what only administrators may read.
    const unexpected = errors.filter(({ extensions }) => !/NOT_FOUND|FORBIDDEN/.test(extensions.code));
    expect(unexpected, query).toEqual([]);
    if (errors.length > 0) return this.#readApart(type, id, reads);
    return reads.filter((read, index) => {
      let object: any = id ? data!.node : data;
      for (const depth of read.asked.path.keys()) object = object?.[`p${index}_${depth}`];
      const page = object?.[`a${index}`];
      if (!page) return false;
      read.totalCounts.add(page.totalCount);
      read.length += page.nodes.length;
      for (const node of page.nodes) if (node.id) this.#add(node.__typename, node.id);
      read.after = page.pageInfo.endCursor;
      if (!page.pageInfo.hasNextPage) this.#compare(read, id);
      return page.pageInfo.hasNextPage;
    });
  }

  /** Each in a request of its own, because one of them is refused. */
  async #readApart(type: GraphQLObjectType, id: string | undefined, reads: Read[]): Promise<Read[]> {
    const more: Read[] = [];
    if (reads.length > 1) for (const read of reads) more.push(...(await this.#readPages(type, id, [read])));
    return more;
  }

  #compare({ asked, length, totalCounts }: Read, id: string | undefined): void {
    this.read.add(asked.name);
    if (length > 0) this.filled.add(asked.name);
    const counted = [...totalCounts].join();
    if (counted !== String(length))
      this.differing.push(`${asked.name} ${asked.args} of ${id ?? 'the root'}: ${counted}, not ${length}`);
  }
}

describe('totalCount', () => {
  it('is the length of all pages, of every connection, without and with each filter', async () => {
    const administrator = await new Walk(world.trellis.adminToken).run();
    const viewer = await new Walk(world.viewer.token).run();
    expect([...administrator.differing, ...viewer.differing]).toEqual([]);
    const read = new Set([...administrator.read, ...viewer.read]);
    expect(filtersOfSchema().filter((name) => !read.has(name))).toEqual([]);
    // A list that is empty everywhere would prove nothing: `beforeAll` fills each.
    const filled = new Set([...administrator.filled, ...viewer.filled]);
    const empty = filtersOfSchema().filter((name) => !name.includes('(') && !filled.has(name));
    expect(empty).toEqual([]);
  });
});
