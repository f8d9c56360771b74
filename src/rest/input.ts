import type { z } from 'zod';
import { InvalidInputError, type Issue } from '../kernel/errors.ts';
import { issuesOf } from '../kernel/validate.ts';
import { entityTagsOf } from './entity-tag.ts';
import type { Given, Route } from './route.ts';

/** The raw input of a request. The query has all values of each parameter. */
export interface Sent {
  path: Record<string, string>;
  query: Record<string, string[]>;
  body: unknown;
  /** The `If-Match` header, for routes that take it. */
  ifMatch?: string | undefined;
}

/** Parses the parameters and body of a request. Throws INVALID_INPUT with all issues. */
export function givenOf({ params, query, body }: Route, sent: Sent): Given {
  const issues: Issue[] = [];
  const checked = (schema: z.ZodType, value: unknown) => {
    const result = schema.safeParse(value);
    if (!result.success) issues.push(...issuesOf(result.error));
    return result.data;
  };
  const values = {
    path: checked(params, sent.path) as Given['path'],
    query: checked(query, single(sent.query, issues)) as Given['query'],
    body: body && checked(body, withEmptyLists(body, sent.body, true)),
    ifMatch: entityTagsOf(sent.ifMatch, issues),
  };
  if (issues.length > 0) throw new InvalidInputError(issues);
  return values;
}

type AnySchema = z.core.$ZodType;

/** The inner schema of an optional or nullable schema. */
const unwrapped = (schema: AnySchema): AnySchema => {
  const { innerType } = schema._zod.def as unknown as { innerType?: AnySchema };
  return innerType ? unwrapped(innerType) : schema;
};

/**
 * Replaces null by an empty list wherever the schema has a list, because clients generated from the
 * contract send null for unset lists. A null body stays null, which is invalid.
 */
function withEmptyLists(schema: AnySchema, value: unknown, isBody = false): unknown {
  const def = unwrapped(schema)._zod.def as unknown as {
    type: string;
    element: AnySchema;
    shape: Record<string, AnySchema>;
    options: z.ZodObject[];
    discriminator?: string;
  };
  if (def.type === 'array') {
    if (value === null && !isBody) return [];
    return Array.isArray(value) ? value.map((each) => withEmptyLists(def.element, each)) : value;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const object = value as Record<string, unknown>;
  if (def.type === 'union') {
    const { discriminator } = def;
    const option = def.options.find(
      ({ shape }) => discriminator && shape[discriminator]?.safeParse(object[discriminator]).success,
    );
    return option ? withEmptyLists(option, value) : value;
  }
  if (def.type !== 'object') return value;
  const changed = Object.entries(def.shape)
    .filter(([name]) => Object.hasOwn(object, name))
    .map(([name, field]) => [name, withEmptyLists(field, object[name])] as const)
    .filter(([name, each]) => each !== object[name]);
  return changed.length > 0 ? { ...object, ...Object.fromEntries(changed) } : value;
}

/** The value of each parameter. Repeated parameters are rejected as ambiguous. */
function single(query: Sent['query'], issues: Issue[]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).map(([name, values]) => {
      if (values.length > 1) issues.push({ path: [name], message: 'Duplicate parameter. Send it only once' });
      return [name, values[0]!];
    }),
  );
}

/** Maps the paths of issues from the input of an operation to the fields of the body. */
export function inBodyTerms(error: unknown, { inputs }: Route): unknown {
  if (!(error instanceof InvalidInputError)) return error;
  return new InvalidInputError(
    error.issues.map(({ path, message }) => {
      const [first, name, ...rest] = path;
      if (first !== 'input' || name === undefined) return { path, message };
      return { path: [...(inputs[name] ?? [name]), ...rest], message };
    }),
  );
}
