import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isObjectType,
} from 'graphql';
import { schema } from '../../src/api.ts';
import type { Trellis } from './trellis.ts';
import { type Arguments, call } from './walk.ts';

/** What queries return to a caller, on all ways to it. */
export interface Crawled {
  /** The answers, errors included. */
  text: string;
  /** The global ids of the objects that it got to, with their types. */
  types: ReadonlyMap<string, string>;
  /** The fields that have returned something: `Team.members`. */
  fields: ReadonlySet<string>;
}

type Field = GraphQLField<unknown, unknown>;
const fieldsOf = (type: GraphQLObjectType): Field[] => Object.values(type.getFields());
const nameOf = (type: GraphQLObjectType, field: Field) => `${type.name}.${field.name}`;

/** Whether objects of the type have a global id. They are read by it, so that each is read once. */
const hasId = (type: unknown): boolean =>
  isAbstractType(type) || (isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node'));

function selected(field: Field, values: Arguments): string {
  const named = getNamedType(field.type);
  const text = call(field, values, 100);
  if (isLeafType(named)) return text;
  if (hasId(named)) return `${text}{...on Node{__typename id}}`;
  const inner = fieldsOf(named as GraphQLObjectType).map((each) => selected(each, values));
  return `${text}{${inner.join(' ')}}`;
}

/** As many as the limits of documents allow, and some of these of requests. */
const most = { fields: 30, ids: 10 };

const chunksOf = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );

/** Reads every field of every object that a caller gets to, from the queries on and by the ids of others. */
export async function crawl(
  trellis: Trellis,
  values: Arguments,
  token: string,
  others: ReadonlyMap<string, string> = new Map(),
): Promise<Crawled> {
  const texts: string[] = [];
  const asked = new Map(others);
  const types = new Map<string, string>();
  const fields = new Set<string>();
  let found = [...others.keys()];

  function collect(type: GraphQLObjectType, data: any): void {
    for (const field of fieldsOf(type)) {
      const named = getNamedType(field.type);
      const items = [data?.[field.name]].flat().filter((item) => item != null);
      if (items.length > 0) fields.add(nameOf(type, field));
      for (const item of items) {
        if (isLeafType(named)) continue;
        if (!hasId(named)) collect(named as GraphQLObjectType, item);
        else {
          types.set(item.id, item.__typename);
          if (!asked.has(item.id)) found.push(item.id);
          asked.set(item.id, item.__typename);
        }
      }
    }
  }

  const ask = async (query: string, variables: object = {}) => {
    const answer = await trellis.graphql(query, variables, token);
    texts.push(JSON.stringify(answer));
    return answer.data;
  };
  const query = schema.getQueryType()!;
  for (const chunk of chunksOf(fieldsOf(query), most.fields)) {
    collect(query, await ask(`{${chunk.map((field) => selected(field, values)).join(' ')}}`));
  }
  while (found.length > 0) {
    const names = new Set(found.map((id) => asked.get(id)!));
    const next = found;
    found = [];
    for (const name of names) {
      const type = schema.getType(name) as GraphQLObjectType;
      for (const ids of chunksOf(
        next.filter((id) => asked.get(id) === name),
        most.ids,
      )) {
        for (const chunk of chunksOf(fieldsOf(type), most.fields)) {
          const selection = chunk.map((field) => selected(field, values)).join(' ');
          const text = `query($ids:[ID!]!){nodes(ids:$ids){...on ${name}{${selection}}}}`;
          for (const [index, node] of ((await ask(text, { ids }))?.nodes ?? []).entries()) {
            if (node !== null) types.set(ids[index]!, name);
            collect(type, node);
          }
        }
      }
    }
  }
  return { text: texts.join('\n'), types, fields };
}

/** The types of objects that queries return. */
function returnedTypes(): GraphQLObjectType[] {
  const types = new Set([schema.getQueryType()!]);
  for (const type of types) {
    for (const { type: of } of fieldsOf(type)) {
      const named = getNamedType(of);
      for (const each of isAbstractType(named) ? schema.getPossibleTypes(named) : [named]) {
        if (isObjectType(each)) types.add(each);
      }
    }
  }
  return [...types];
}

/** The fields that lead to objects, or have lists of values, and have not returned any to the caller. */
export const emptyFields = ({ fields }: Pick<Crawled, 'fields'>): string[] =>
  returnedTypes()
    .flatMap((type) =>
      fieldsOf(type)
        .filter((field) => isListType(getNullableType(field.type)) || !isLeafType(getNamedType(field.type)))
        .map((field) => nameOf(type, field)),
    )
    .filter((name) => !fields.has(name))
    .sort();
