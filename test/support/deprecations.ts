import {
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  NoDeprecatedCustomRule,
  parse,
  validate,
} from 'graphql';

/** A field, argument or value of a schema. */
interface Element {
  /** As the specification names it: `Query.events(filter:)`. */
  coordinate: string;
  /** As changes are named: `Query.events.filter`. */
  path: string;
  /** The type that it belongs to, and the type that it has. */
  parent: string;
  type: string | undefined;
  reason: string | null | undefined;
  definition?: { deprecationReason?: string | null };
}

/** Every field, argument, input field, enum value and member of a union. */
export function elementsOf(schema: GraphQLSchema): Element[] {
  return Object.values(schema.getTypeMap()).flatMap((parent): Element[] => {
    const { name } = parent;
    if (name.startsWith('__')) return [];
    const at = (
      path: string,
      type?: string,
      definition?: Element['definition'],
      coordinate = path,
    ): Element => ({
      coordinate,
      path,
      parent: name,
      type,
      reason: definition?.deprecationReason,
      definition,
    });
    if (isEnumType(parent))
      return parent.getValues().map((value) => at(`${name}.${value.name}`, undefined, value));
    if (isUnionType(parent)) return parent.getTypes().map((type) => at(`${name}.${type.name}`, type.name));
    if (isInputObjectType(parent))
      return Object.values(parent.getFields()).map((field) =>
        at(`${name}.${field.name}`, getNamedType(field.type).name, field),
      );
    if (!isObjectType(parent) && !isInterfaceType(parent)) return [];
    return Object.values(parent.getFields()).flatMap((field) => [
      at(`${name}.${field.name}`, getNamedType(field.type).name, field),
      ...field.args.map((arg) =>
        at(
          `${name}.${field.name}.${arg.name}`,
          getNamedType(arg.type).name,
          arg,
          `${name}.${field.name}(${arg.name}:)`,
        ),
      ),
    ]);
  });
}

const restorers: (() => void)[] = [];

/** Deprecates elements of the schema of this process, which other test files share, until the end of the test file. */
export function deprecate(schema: GraphQLSchema, ...coordinates: string[]): void {
  const elements = elementsOf(schema);
  for (const coordinate of coordinates) {
    const element = elements.find((each) => each.coordinate === coordinate);
    const { definition } = element ?? {};
    if (!definition) throw new Error(`The schema has no ${coordinate}`);
    const { deprecationReason } = definition;
    restorers.push(() => {
      definition.deprecationReason = deprecationReason;
    });
    definition.deprecationReason = 'Use something else. May be removed from 2099-01-01.';
  }
}

/** Takes back every deprecation of the test file. */
export function restoreDeprecated(): void {
  for (const restore of restorers.splice(0).reverse()) restore();
}

/** The date from which what is deprecated may be removed. */
export const removableFrom = (reason: string | null | undefined): string | undefined =>
  /^\S.* May be removed from (\d{4}-\d\d-\d\d)\.$/.exec(reason ?? '')?.[1];

/**
 * The paths that a version may remove at a date: what the release before has deprecated with a date that has passed, what
 * belongs to it, and the types that nothing else uses.
 */
export function removableAt(released: GraphQLSchema, date: string): Set<string> {
  const elements = elementsOf(released);
  const removable = new Set<string>();
  const isInTime = (element: Element) => {
    const from = removableFrom(element.reason);
    const { path, parent } = element;
    const owner = path.split('.').slice(0, 2).join('.');
    return (from !== undefined && from <= date) || removable.has(parent) || removable.has(owner);
  };
  for (let size = -1; size < removable.size; ) {
    size = removable.size;
    for (const element of elements) if (isInTime(element)) removable.add(element.path);
    for (const name of new Set(elements.flatMap(({ type }) => type ?? []))) {
      const uses = elements.filter(({ type }) => type === name);
      if (uses.every(({ path, parent }) => parent === name || removable.has(path))) removable.add(name);
    }
  }
  return removable;
}

/** What a document uses that is deprecated, as messages. */
export const deprecatedIn = (schema: GraphQLSchema, document: string): string[] =>
  validate(schema, parse(document), [NoDeprecatedCustomRule]).map(({ message }) => message);
