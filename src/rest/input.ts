import type { z } from 'zod';
import { InvalidInputError, type Issue } from '../kernel/errors.ts';
import { invalid, issuesOf } from '../kernel/validate.ts';
import type { Given, Route } from './route.ts';

/** What a request sent, not yet looked at: of the query every value of each parameter. */
export interface Sent {
  path: Record<string, string>;
  query: Record<string, string[]>;
  body: unknown;
}

/** The parameters and the body of a request, or INVALID_INPUT with everything that is wrong with them. */
export function givenOf({ params, query, body }: Route, sent: Sent): Given {
  const issues: Issue[] = [];
  const checked = (schema: z.ZodType, value: unknown) => {
    const result = schema.safeParse(value);
    if (!result.success) issues.push(...issuesOf(result.error));
    return result.data;
  };
  const given = {
    path: checked(params, sent.path) as Given['path'],
    query: checked(query, single(sent.query, issues)) as Given['query'],
    body: body && checked(body, withEmptyLists(body, sent.body, true)),
  };
  if (issues.length > 0) throw new InvalidInputError(issues);
  return given;
}

type AnySchema = z.core.$ZodType;

/** What a schema that may be left out or null wraps. */
const unwrapped = (schema: AnySchema): AnySchema => {
  const { innerType } = schema._zod.def as unknown as { innerType?: AnySchema };
  return innerType ? unwrapped(innerType) : schema;
};

/**
 * The value with an empty list for null wherever the schema has a list: clients that are generated from the
 * contract send lists that were not set as null. A body that is null stays null, which is invalid.
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
  const given = value as Record<string, unknown>;
  if (def.type === 'union') {
    const { discriminator } = def;
    const option = def.options.find(
      ({ shape }) => discriminator && shape[discriminator]?.safeParse(given[discriminator]).success,
    );
    return option ? withEmptyLists(option, value) : value;
  }
  if (def.type !== 'object') return value;
  const changed = Object.entries(def.shape)
    .filter(([name]) => Object.hasOwn(given, name))
    .map(([name, field]) => [name, withEmptyLists(field, given[name])] as const)
    .filter(([name, each]) => each !== given[name]);
  return changed.length > 0 ? { ...given, ...Object.fromEntries(changed) } : value;
}

/** Each parameter by its only value; one that stands twice does not say which is meant. */
function single(query: Sent['query'], issues: Issue[]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).map(([name, values]) => {
      if (values.length > 1) issues.push({ path: [name], message: 'Duplicate parameter. Send it only once' });
      return [name, values[0]!];
    }),
  );
}

/** The text of a body → its value. As everywhere in JSON, of a repeated key the last one counts. */
export function jsonOf(bytes: Buffer): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid([], 'The body is not valid UTF-8');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw invalid([], 'The body is not valid JSON');
  }
}

/** What an operation finds wrong is told by its place in the body: operations have names of their own. */
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
