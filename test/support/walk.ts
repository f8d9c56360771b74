import {
  type GraphQLArgument,
  type GraphQLField,
  GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
  lexicographicSortSchema,
} from 'graphql';

/** Values for the required arguments, by the name of their type, or as `field(argument)`. */
export type Arguments = Record<string, string>;

type Field = GraphQLField<unknown, unknown>;

/** The way from the query to an object of a type, as the text before and after its selection. */
export interface Way {
  type: GraphQLObjectType;
  before: string;
  after: string;
  /** The response names on the way. */
  keys: string[];
}

function givenTo({ name, type }: GraphQLArgument, values: Arguments, field: string): string {
  const named = getNamedType(type);
  const ofType = isEnumType(named) ? named.getValues()[0]!.name : values[named.name];
  const value = values[`${field}(${name})`] ?? ofType;
  if (value === undefined) throw new Error(`The walk needs a value for ${field}(${name}: ${type}).`);
  return isListType(getNullableType(type)) ? `[${value}]` : value;
}

/** The number of items of lists on the way to an object, and of lists that have aliases. */
const pages = { above: 10, aliased: 100 };

/** A field with its required arguments, and with a page if it has one. */
export function call(field: Field, values: Arguments, page: number): string {
  // Of some arguments, which are not required by themselves, one is.
  const isGiven = (arg: GraphQLArgument) =>
    isRequiredArgument(arg) || values[`${field.name}(${arg.name})`] !== undefined;
  const given = field.args.filter(isGiven).map((arg) => `${arg.name}:${givenTo(arg, values, field.name)}`);
  if (field.args.some(({ name }) => name === 'after')) given.push(`first:${page}`);
  return given.length ? `${field.name}(${given.join(' ')})` : field.name;
}

/** The shortest way to each object type that queries return, over lists, and not over abstract types or fields that are refused. */
export function waysOf(
  schema: GraphQLSchema,
  values: Arguments,
  refused: readonly string[],
): Map<string, Way> {
  // In the order of the names, so that a way does not depend on where a field is declared.
  const query = lexicographicSortSchema(schema).getQueryType()!;
  const ways = new Map<string, Way>([[query.name, { type: query, before: '', after: '', keys: [] }]]);
  for (const { type, before, after, keys } of ways.values()) {
    for (const field of Object.values(type.getFields())) {
      const next = getNamedType(field.type);
      if (!isObjectType(next) || ways.has(next.name)) continue;
      if (refused.includes(`${type.name}.${field.name}`)) continue;
      ways.set(next.name, {
        type: next,
        before: `${before}${call(field, values, pages.above)}{`,
        after: `}${after}`,
        keys: [...keys, field.name],
      });
    }
  }
  return ways;
}

const maxTokens = 4_900;
const maxFields = 4_900;

/** Leaves that need no arguments; below a page, those of its first item. */
function selectionOf(type: GraphQLObjectType, most: number): string[] {
  const fields = Object.values(type.getFields()).filter((field) => !field.args.some(isRequiredArgument));
  const nodes = fields.find(({ name }) => name === 'nodes');
  if (nodes) {
    const inner = selectionOf(getNamedType(nodes.type) as GraphQLObjectType, most - 1);
    return [`nodes{${inner.join(' ')}}`];
  }
  const leaves = fields.filter((field) => isLeafType(getNamedType(field.type))).map(({ name }) => name);
  return leaves.length ? leaves.slice(0, most) : ['__typename'];
}

const tokensOf = (text: string) => text.match(/\w+|[^\s\w]/g)?.length ?? 0;

export interface Walked {
  title: string;
  query: string;
}

/** Documents that select every field of the type under so many aliases, as few as the limits of documents allow. */
export function documentsOf(way: Way, values: Arguments, aliases: number): Walked[] {
  const documents: Walked[] = [];
  let [titles, body, fragments, tokens, fields]: [string[], string[], string[], number, number] = [
    [],
    [],
    [],
    0,
    0,
  ];
  const flush = () => {
    if (titles.length === 0) return;
    const query = `{${way.before}${body.join(' ')}${way.after}}${fragments.join('')}`;
    documents.push({ title: `${way.type.name}.${titles.join(', ')}`, query });
    [titles, body, fragments, tokens, fields] = [[], [], [], 0, 0];
  };
  for (const field of Object.values(way.type.getFields())) {
    const named = getNamedType(field.type);
    const text = call(field, values, pages.aliased);
    const fragment = `F${titles.length}`;
    const isLeaf = isLeafType(named);
    const inner = isLeaf ? [] : named instanceof GraphQLObjectType ? selectionOf(named, 6) : ['__typename'];
    const selected = `${text}${isLeaf ? '' : `{...${fragment}}`}`;
    const perAlias = 2 + tokensOf(selected);
    const count = Math.min(aliases, Math.floor(maxTokens / perAlias));
    const needed = { tokens: count * perAlias + 100, fields: count * (isLeaf ? 1 : 2 + inner.length) };
    if (tokens + needed.tokens > maxTokens || fields + needed.fields > maxFields) flush();
    const own = isLeaf ? selected : selected.replace(fragment, `F${titles.length}`);
    if (!isLeaf) fragments.push(`fragment F${titles.length} on ${named.name}{${inner.join(' ')}}`);
    body.push(Array.from({ length: count }, (_, index) => `${field.name}_${index}:${own}`).join(' '));
    titles.push(field.name);
    tokens += needed.tokens;
    fields += needed.fields;
  }
  flush();
  return documents;
}
