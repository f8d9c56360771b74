import {
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';

/**
 * Selects the leaves of a type, of the objects in it down to a depth, and nothing of its lists of pages. Nor of the usage of
 * regions, which fails for a region that was deleted.
 */
export function selectionOf(type: GraphQLObjectType, depth: number): string {
  const fields = Object.values(type.getFields()).flatMap((field) => {
    if (field.args.some(isRequiredArgument)) return [];
    const of = getNamedType(field.type);
    if (isLeafType(of)) return [field.name];
    const isPage = of.name.endsWith('Connection') || field.name === 'usage';
    // Other abstract types have no fields of their own to select.
    if (depth === 0 || isPage || !isObjectType(of)) return [];
    const isLong = isListType(getNullableType(field.type)) && depth === 1;
    const inner = isLong ? '' : selectionOf(of, depth - 1);
    return inner ? [`${field.name} { ${inner} }`] : [];
  });
  return fields.join(' ');
}
