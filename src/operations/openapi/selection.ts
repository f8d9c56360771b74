import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLAbstractType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { described, type Json, type NamedSchemas, nullable } from './schemas.ts';

/** The JSON Schemas of what documents select. A fragment is a schema of its own, with its name. */
export class SelectionSchemas {
  readonly #schema: GraphQLSchema;
  readonly #named: NamedSchemas;
  /** By name: all documents share the fragments. */
  readonly #fragments = new Map<string, FragmentDefinitionNode>();

  constructor(schema: GraphQLSchema, named: NamedSchemas) {
    this.#schema = schema;
    this.#named = named;
  }

  /** The schema of the value of the one root field, which for a change is its payload. */
  ofRoot({ definitions }: DocumentNode): Json {
    for (const each of definitions)
      if (each.kind === Kind.FRAGMENT_DEFINITION && !this.#fragments.has(each.name.value))
        this.#fragments.set(each.name.value, each);
    const operation = definitions[0] as OperationDefinitionNode;
    const [field] = operation.selectionSet.selections as readonly FieldNode[];
    const root = this.#schema.getRootType(operation.operation)!;
    const type = getNullableType(root.getFields()[field!.name.value]!.type);
    const selected = [field!.selectionSet!];
    if (operation.operation === 'query') return this.#ofPresent(type, selected);
    const results = this.#schema.getPossibleTypes(getNamedType(type) as GraphQLAbstractType);
    const payload = results.find(({ name }) => name.endsWith('Payload'))!;
    return this.#ofObject(payload, selected, ({ name }) => name.value !== '__typename');
  }

  #ofOutput(type: GraphQLOutputType, selected: SelectionSetNode[]): Json {
    if (!isNonNullType(type)) return nullable(this.#ofPresent(type, selected));
    return this.#ofPresent(type.ofType, selected);
  }

  #ofPresent(type: GraphQLOutputType, selected: SelectionSetNode[]): Json {
    if (isListType(type)) return { type: 'array', items: this.#ofOutput(type.ofType, selected) };
    const named = getNamedType(type);
    if (isAbstractType(named)) return this.#ofAbstract(named, selected);
    if (isObjectType(named)) return this.#ofType(named, selected);
    return this.#named.leaf(named);
  }

  #ofType(type: GraphQLObjectType, selected: SelectionSetNode[]): Json {
    const [only, ...others] = selected.flatMap(({ selections }) => selections);
    if (only?.kind !== Kind.FRAGMENT_SPREAD || others.length > 0) return this.#ofObject(type, selected);
    const fragment = this.#fragments.get(only.name.value)!;
    if (fragment.typeCondition.name.value !== type.name) return this.#ofObject(type, selected);
    return this.#named.refTo(only.name.value, fragment, () =>
      described(this.#ofObject(type, [fragment.selectionSet]), type.description),
    );
  }

  /** One schema for each set of fields that its types have. */
  #ofAbstract(type: GraphQLAbstractType, selected: SelectionSetNode[]): Json {
    const byText = new Map<string, { schema: Json; types: string[] }>();
    for (const possible of this.#schema.getPossibleTypes(type)) {
      const schema = this.#ofObject(possible, selected);
      const text = JSON.stringify(schema).replaceAll(`"${possible.name}"`, '""');
      const same = byText.get(text);
      if (same) same.types.push(possible.name);
      else byText.set(text, { schema, types: [possible.name] });
    }
    const variants = [...byText.values()].map(({ schema, types }) => {
      const properties = schema.properties as Record<string, Json>;
      if (properties.__typename) properties.__typename = { ...properties.__typename, enum: types };
      return schema;
    });
    return variants.length === 1 ? variants[0]! : { anyOf: variants };
  }

  #ofObject(
    type: GraphQLObjectType,
    selected: SelectionSetNode[],
    isWanted: (field: FieldNode) => boolean = () => true,
  ): Json {
    const fields = new Map<string, FieldNode[]>();
    this.#collect(type, selected, fields);
    const properties = [...fields]
      .filter(([, [first]]) => isWanted(first!))
      .map(([key, nodes]): [string, Json] => [key, this.#ofField(type, nodes)]);
    return {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: properties.map(([key]) => key),
      additionalProperties: false,
    };
  }

  #ofField(type: GraphQLObjectType, nodes: FieldNode[]): Json {
    const name = nodes[0]!.name.value;
    if (name === '__typename')
      return { type: 'string', enum: [type.name], description: 'The type of the object.' };
    const { type: of, description } = type.getFields()[name]!;
    const selected = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    return described(this.#ofOutput(of, selected), description);
  }

  /** The fields that are selected of a type, by their keys in the response. */
  #collect(type: GraphQLObjectType, selected: SelectionSetNode[], fields: Map<string, FieldNode[]>): void {
    for (const selection of selected.flatMap(({ selections }) => selections)) {
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        fields.set(key, [...(fields.get(key) ?? []), selection]);
        continue;
      }
      const { typeCondition, selectionSet } =
        selection.kind === Kind.FRAGMENT_SPREAD ? this.#fragments.get(selection.name.value)! : selection;
      if (!typeCondition || this.#applies(typeCondition.name.value, type))
        this.#collect(type, [selectionSet], fields);
    }
  }

  #applies(condition: string, type: GraphQLObjectType): boolean {
    const of = this.#schema.getType(condition);
    return of === type || (isAbstractType(of) && this.#schema.isSubType(of, type));
  }
}
