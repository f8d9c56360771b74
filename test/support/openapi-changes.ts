/**
 * Finds the changes of an OpenAPI document that break its clients: what they may send is refused now, or what they
 * read is gone or has another type. No npm package does this for OpenAPI 3.1 without a command-line program or an
 * HTTP client of its own. Patterns are not compared: whether one accepts less than another cannot be told in general.
 */

type Json = any;
type Direction = 'request' | 'response';

export interface ApiChange {
  /** What changed: `GET /teams`, `GET /teams?page` or `PortChange.action`. */
  path: string;
  message: string;
}

/** For each keyword: whether a larger value refuses more of what a client sends. */
const limits = {
  minimum: true,
  exclusiveMinimum: true,
  minLength: true,
  minItems: true,
  maximum: false,
  exclusiveMaximum: false,
  maxLength: false,
  maxItems: false,
};

export function breakingChanges(before: Json, after: Json): ApiChange[] {
  const changes = new Map<string, ApiChange>();
  const report = (path: string, message: string) => changes.set(`${path}: ${message}`, { path, message });
  const compared = new Set<string>();

  function compareSchemas(path: string, direction: Direction, old: Json, next: Json): void {
    const name = nameOf(old);
    if (name) {
      if (compared.has(`${direction} ${name}`)) return;
      compared.add(`${direction} ${name}`);
    }
    const at = name ?? path;
    const [olds, nexts] = [variantsOf(before, old), variantsOf(after, next)];
    const [oldTypes, nextTypes] = [typesOf(olds), typesOf(nexts)];
    const [from, to] = direction === 'request' ? [oldTypes, nextTypes] : [nextTypes, oldTypes];
    const missing = from.filter(
      (type) => !to.includes(type) && !(type === 'integer' && to.includes('number')),
    );
    if (missing.length > 0) {
      report(at, `type changed from ${oldTypes.join(' or ')} to ${nextTypes.join(' or ')}`);
    }
    for (const type of oldTypes.filter((each) => nextTypes.includes(each))) {
      const ofType = (variants: Json[]) => variants.filter((variant) => typesOf([variant]).includes(type));
      comparePairs(at, direction, type, ofType(olds), ofType(nexts));
    }
  }

  function comparePairs(path: string, direction: Direction, type: string, olds: Json[], nexts: Json[]): void {
    const key =
      type === 'object' && olds.length + nexts.length > 2 ? discriminatorOf([...olds, ...nexts]) : undefined;
    if (!key) {
      for (const [index, old] of olds.entries()) {
        compareVariants(path, direction, old, nexts[index] ?? nexts.at(-1));
      }
      return;
    }
    for (const old of olds) {
      for (const value of valuesOf(old.properties[key])!) {
        const next = nexts.find((variant) => valuesOf(variant.properties[key])!.includes(value));
        if (next) compareVariants(path, direction, old, next, key);
        else if (direction === 'request') report(`${path}.${key}`, `${JSON.stringify(value)} is refused`);
      }
    }
  }

  function compareVariants(
    path: string,
    direction: Direction,
    old: Json,
    next: Json,
    discriminator?: string,
  ): void {
    const [oldValues, nextValues] = [valuesOf(old), valuesOf(next)];
    if (direction === 'request') {
      const refused =
        nextValues && (oldValues ? oldValues.filter((value) => !nextValues.includes(value)) : ['others']);
      if (refused?.length)
        report(path, `${refused.map((value) => JSON.stringify(value)).join(', ')} refused`);
      for (const [keyword, isLower] of Object.entries(limits)) {
        const [was, is] = [old[keyword], next[keyword]];
        if (is !== undefined && (was === undefined || (isLower ? is > was : is < was))) {
          report(path, `${keyword} ${is} refuses more than before`);
        }
      }
    }
    if (old.items && next.items) compareSchemas(`${path}[]`, direction, old.items, next.items);
    const [oldFields, nextFields] = [old.properties ?? {}, next.properties ?? {}];
    const isRequired = (schema: Json, field: string) => schema.required?.includes(field) ?? false;
    for (const [field, schema] of Object.entries(oldFields)) {
      const at = `${path}.${field}`;
      if (!(field in nextFields)) {
        // An object that is open takes what it does not know.
        if (direction === 'response' || next.additionalProperties === false) report(at, 'field removed');
      } else {
        if (direction === 'response' && isRequired(old, field) && !isRequired(next, field)) {
          report(at, 'field may be absent');
        }
        if (field !== discriminator) compareSchemas(at, direction, schema, nextFields[field]);
      }
    }
    for (const field of direction === 'request' ? (next.required ?? []) : []) {
      if (!isRequired(old, field)) report(`${path}.${field}`, 'field required');
    }
  }

  function compareOperations(path: string, old: Json, next: Json): void {
    const [oldParameters, nextParameters] = [parametersOf(before, old), parametersOf(after, next)];
    for (const parameter of oldParameters) {
      const same = nextParameters.find(
        ({ name, in: place }) => name === parameter.name && place === parameter.in,
      );
      const at = `${path}?${parameter.name}`;
      if (!same) report(at, 'parameter removed');
      else compareSchemas(at, 'request', parameter.schema, same.schema);
    }
    for (const { name, in: place, required } of nextParameters) {
      const same = oldParameters.find((parameter) => name === parameter.name && place === parameter.in);
      if (required && !same?.required) report(`${path}?${name}`, 'parameter required');
    }
    const [oldBody, nextBody] = [old.requestBody, next.requestBody];
    if (nextBody?.required && !oldBody?.required) report(path, 'body required');
    if (oldBody && !nextBody) report(path, 'body refused');
    compareContents(path, 'request', oldBody, nextBody);
    for (const [status, response] of Object.entries<Json>(old.responses)) {
      if (!/^2/.test(status)) continue;
      if (next.responses[status]) compareContents(path, 'response', response, next.responses[status]);
      else report(path, `response ${status} removed`);
    }
  }

  function compareContents(path: string, direction: Direction, old: Json, next: Json): void {
    for (const [type, { schema }] of Object.entries<Json>(next ? (old?.content ?? {}) : {})) {
      const same = next.content?.[type];
      if (same) compareSchemas(path, direction, schema, same.schema);
      else report(path, `${direction} as ${type} removed`);
    }
  }

  for (const [path, operations] of Object.entries<Json>(before.paths)) {
    for (const [method, operation] of Object.entries<Json>(operations)) {
      const name = `${method.toUpperCase()} ${path}`;
      const next = after.paths[path]?.[method];
      if (next) compareOperations(name, operation, next);
      else report(name, 'operation removed');
    }
  }
  return [...changes.values()];
}

const nameOf = (schema: Json): string | undefined => schema.$ref?.split('/').at(-1);

const resolved = (document: Json, value: Json): Json =>
  value.$ref
    ? value.$ref
        .split('/')
        .slice(1)
        .reduce((at: Json, step: string) => at[step], document)
    : value;

const parametersOf = (document: Json, { parameters = [] }: Json): Json[] =>
  parameters.map((parameter: Json) => resolved(document, parameter));

/** The schemas that a value may follow, without references and alternatives. */
function variantsOf(document: Json, schema: Json): Json[] {
  const plain = resolved(document, schema);
  const alternatives = plain.anyOf ?? plain.oneOf;
  return alternatives ? alternatives.flatMap((each: Json) => variantsOf(document, each)) : [plain];
}

const typesOf = (variants: Json[]): string[] => [
  ...new Set(
    variants.flatMap(
      ({ type, const: only }) =>
        type ?? (only === undefined ? 'anything' : only === null ? 'null' : typeof only),
    ),
  ),
];

const valuesOf = (schema: Json): unknown[] | undefined =>
  schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);

/** The field whose value tells which of several objects a value is. */
const discriminatorOf = (variants: Json[]): string | undefined =>
  Object.keys(variants[0].properties ?? {}).find((key) =>
    variants.every(({ properties }) => properties?.[key] && valuesOf(properties[key])),
  );
