import {
  astFromValue,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLNonNull,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  print,
} from 'graphql';
import type { Random } from './random.ts';

/** Values that mean something in the data, by the name of the argument or input field, else by its type. */
export type Known = Record<string, readonly unknown[]>;

export interface Generated {
  query: string;
  variables: Record<string, unknown>;
}

const maxDepth = 6;
/** Names that an object of JavaScript has, or would take for its prototype. */
const oddNames = ['__proto__', 'constructor', 'toString', 'then', 'toJSON', 'length', 'hasOwnProperty'];

/** One document over the schema, with the values of its variables: most are right, some are wrong. */
export function randomDocument(
  schema: GraphQLSchema,
  known: Known,
  random: Random,
  root = schema.getQueryType()!,
): Generated {
  const variables: Record<string, unknown> = {};
  const declared = new Map<string, string>();
  const fragments: { name: string; type: string; text: string }[] = [];
  let budget = 12 + random.below(50);
  let count = 0;

  const literal = (value: unknown, type: GraphQLInputType): string => {
    if (isNonNullType(type)) return literal(value, type.ofType);
    if (value === null) return 'null';
    if (isListType(type)) {
      return Array.isArray(value)
        ? `[${value.map((each) => literal(each, type.ofType)).join(', ')}]`
        : literal(value, type.ofType);
    }
    if (isInputObjectType(type) && typeof value === 'object') {
      const fields = Object.entries(value as object).map(
        ([name, each]) => `${name}: ${part(each, partType(type, name), true)}`,
      );
      return `{ ${fields.join(', ')} }`;
    }
    if (isEnumType(type)) return String(value);
    if (typeof value === 'string') return JSON.stringify(value);
    // A value that another argument of this name takes.
    if (typeof value === 'object') return '{}';
    return print(astFromValue(value, type as never) ?? ({ kind: 'NullValue' } as never));
  };

  /** A value as it stands in the document: itself, or a variable that holds it. */
  const part = (value: unknown, type: GraphQLInputType, inside = false): string => {
    if (!random.chance(inside ? 0.15 : 0.6)) return literal(value, type);
    const name = `v${count++}`;
    const isRequired = isNonNullType(type);
    if (random.chance(0.15)) {
      // By default, for a value that is left out or the default itself.
      declared.set(name, `${type} = ${plainLiteral(value, type)}`);
      const given = random.pick([value, null, undefined, undefined]);
      if (given !== undefined && (given !== null || !isRequired)) variables[name] = given;
      return `$${name}`;
    }
    declared.set(name, random.chance(0.1) && !isRequired ? `${type}!` : String(type));
    if (random.chance(0.03)) {
      // Missing, null or of another kind.
      if (random.chance(0.7)) variables[name] = random.pick([null, 'x', 1.5, [], {}, true]);
    } else if (isRequired || random.chance(0.9)) variables[name] = value;
    return `$${name}`;
  };
  const plainLiteral = (value: unknown, type: GraphQLInputType): string => {
    if (isNonNullType(type)) return plainLiteral(value, type.ofType);
    if (value === null) return 'null';
    if (Array.isArray(value)) {
      const item = (isListType(type) ? type.ofType : type) as GraphQLInputType;
      return `[${value.map((each) => plainLiteral(each, item)).join(', ')}]`;
    }
    if (isInputObjectType(type) && typeof value === 'object') {
      const fields = Object.entries(value).map(
        ([name, each]) => `${name}: ${plainLiteral(each, type.getFields()[name]!.type)}`,
      );
      return `{ ${fields.join(', ')} }`;
    }
    return isEnumType(type) ? String(value) : JSON.stringify(value);
  };

  const valueFor = (name: string, type: GraphQLInputType): unknown => {
    if (isNonNullType(type)) return valueFor(name, type.ofType);
    if (isListType(type)) return Array.from({ length: random.below(5) }, () => valueFor(name, type.ofType));
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields());
      const chosen = type.isOneOf
        ? [random.pick(fields)]
        : fields.filter((field) => isNonNullType(field.type) || random.chance(0.5));
      return Object.fromEntries(
        chosen.map((field) => [field.name, valueFor(`${type.name}.${field.name}`, field.type)]),
      );
    }
    if (isEnumType(type)) return random.pick(type.getValues()).name;
    if (type.name === 'Boolean') return random.chance(0.5);
    return random.pick(known[name] ?? known[name.split('.').at(-1)!] ?? known[type.name]!);
  };

  const argumentsOf = (field: string, args: readonly GraphQLArgument[]): string => {
    const paging = random.chance(0.3) ? random.pick(['first', 'last']) : undefined;
    const given = args.filter(({ name, type }) => {
      if (isNonNullType(type) || name === paging) return true;
      if (name === 'first' || name === 'last') return random.chance(0.02);
      return random.chance(name === 'after' || name === 'before' ? 0.06 : 0.15);
    });
    const texts = given.map(({ name, type }) => {
      if (random.chance(0.01)) return `${name}: ${random.pick(['null', '{}', '"x"', '[]', '1.5'])}`;
      return `${name}: ${part(valueFor(`${field}.${name}`, type), type)}`;
    });
    if (random.chance(0.005)) texts.push('unknown: 1');
    return texts.length ? `(${texts.join(', ')})` : '';
  };

  const flag = (): string => {
    if (random.chance(0.4)) return String(random.chance(0.5));
    const name = `if${random.below(3)}`;
    if (!declared.has(name)) {
      declared.set(name, random.pick(['Boolean!', 'Boolean! = true', 'Boolean = false']));
      const isRequired = declared.get(name) === 'Boolean!';
      if (isRequired || random.chance(0.5)) variables[name] = random.chance(0.5);
      else if (random.chance(0.2)) variables[name] = null;
    }
    return `$${name}`;
  };
  const directives = (odds: number): string => {
    if (!random.chance(odds)) return '';
    const both = random.chance(0.2) ? ` @include(if: ${flag()})` : '';
    return ` @${random.pick(['skip', 'include'])}(if: ${flag()})${both}`;
  };

  const fieldText = (type: { name: string }, field: GraphQLField<unknown, unknown>, depth: number) => {
    budget--;
    const below = selectionOf(field.type, depth + 1);
    if (below === undefined) return undefined;
    const required = field.args.some((arg) => isNonNullType(arg.type));
    const args = required || random.chance(0.5) ? argumentsOf(`${type.name}.${field.name}`, field.args) : '';
    const alias = args || random.chance(0.1) ? `f${count++}: ` : '';
    const text = `${alias}${field.name}${args}${directives(0.06)}`;
    // Once more, with more of it: the two are one field.
    if (below && random.chance(0.15)) {
      const more = selectionOf(field.type, depth + 1);
      if (more !== undefined) return `${text} ${below} ${text} ${more}`;
    }
    return `${text} ${below}`;
  };

  const fragmentOn = (name: string, depth: number): string | undefined => {
    const same = fragments.filter((each) => each.type === name);
    if (same.length && random.chance(0.6)) return `...${random.pick(same).name}${directives(0.1)}`;
    const text = selectionOf(schema.getType(name) as GraphQLOutputType, depth + 1);
    if (text === undefined) return undefined;
    if (random.chance(0.4)) {
      const fragment = { name: `F${fragments.length}`, type: name, text };
      fragments.push(fragment);
      return `...${fragment.name}${directives(0.1)}`;
    }
    const on = random.chance(0.2) && same.length ? '' : ` on ${name}`;
    return `...${on}${directives(0.15)} ${text}`;
  };

  const selectionOf = (output: GraphQLOutputType, depth: number): string | undefined => {
    const type = getNamedType(output);
    if (!isCompositeType(type)) return '';
    if (depth > maxDepth || budget <= 0) return random.chance(0.9) ? '{ __typename }' : undefined;
    const texts: (string | undefined)[] = [];
    const fields = isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
    for (let times = 1 + random.below(depth < 3 ? 5 : 4); times > 0; times--) {
      if (random.chance(0.08)) texts.push(`${random.pick(oddNames)}: __typename`);
      else if (random.chance(0.1)) texts.push('__typename');
      else if (isAbstractType(type) && random.chance(fields.length ? 0.7 : 1)) {
        texts.push(fragmentOn(random.pick(schema.getPossibleTypes(type)).name, depth));
      } else if (isObjectType(type) && depth > 0 && random.chance(0.12)) {
        texts.push(fragmentOn(random.pick([type, ...type.getInterfaces()]).name, depth));
      } else if (fields.length) texts.push(fieldText(type, random.pick(fields), depth));
    }
    if (depth === 0 && random.chance(0.05)) texts.push(random.pick(introspections));
    const known = texts.filter((text) => text !== undefined);
    return known.length ? `{ ${known.join(' ')} }` : '{ __typename }';
  };

  const kind = root === schema.getQueryType() ? 'query' : 'mutation';
  const body = selectionOf(root, 0)!;
  const heads = [...declared].map(([name, type]) => `$${name}: ${type}`);
  const query = [
    `${kind} Q${heads.length ? `(${heads.join(', ')})` : ''} ${body}`,
    ...fragments.map(({ name, type, text }) => `fragment ${name} on ${type} ${text}`),
  ].join('\n');
  return { query, variables };
}

/** Where exactly one field is to be given, a variable in it must not be null. */
const partType = (type: GraphQLInputObjectType, name: string): GraphQLInputType => {
  const of = type.getFields()[name]!.type;
  return type.isOneOf && !isNonNullType(of) ? new GraphQLNonNull(of) : of;
};

const introspections = [
  '__schema { queryType { name kind } mutationType { fields { name args { name type { kind } } } } }',
  '__schema { types { name kind ofType { name } possibleTypes { name } interfaces { name } } }',
  '__type(name: "Team") { name description fields { name isDeprecated type { kind name ofType { name } } } }',
  '__type(name: "Nothing") { name }',
  '__schema { directives { name locations args { name defaultValue } } description }',
];
