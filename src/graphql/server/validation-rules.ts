import { getEnterLeaveForKind, Kind, KnownTypeNamesRule, specifiedRules, type ValidationRule } from 'graphql';

/** Lists the names of all types, for suggestions, where one is unknown. The rule of graphql-js lists them for each document. */
const knownTypeNames: ValidationRule = (context) => {
  const types = context.getSchema().getTypeMap();
  return {
    NamedType(node, ...position) {
      if (types[node.name.value]) return;
      getEnterLeaveForKind(KnownTypeNamesRule(context), Kind.NAMED_TYPE).enter?.call(null, node, ...position);
    },
  };
};

/** The rules of the specification for documents of requests. */
const rules = specifiedRules.map((rule) => (rule === KnownTypeNamesRule ? knownTypeNames : rule));

/** Whether these are the rules of the specification, to which a plugin can add others. */
export const areSpecified = (given: readonly ValidationRule[] = specifiedRules) =>
  given.length === specifiedRules.length;

/** The rules to validate with, for those that Yoga would validate with. */
export const rulesFor = (given: readonly ValidationRule[] = specifiedRules) =>
  areSpecified(given) ? rules : given;
