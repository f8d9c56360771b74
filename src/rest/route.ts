import { z } from 'zod';
import type { Context } from '../context.ts';
import type { ErrorCode } from '../kernel/error-codes.ts';
import type { EntityTags } from './entity-tag.ts';

export const restPath = '/openapi/v1';

/** The tags of operations in the OpenAPI document. */
export const tags = {
  Teams: 'Teams, also called tenants, and their resource usage.',
  Administrators: 'The administrators of the enterprise.',
  Regions: 'Regions: the clusters that run the applications of teams.',
  Applications: 'Applications, also called groups: related components of a team.',
  Components: 'Components, also called services: the running instances of an image.',
  Ports: 'The network ports of components.',
  'Gateway rules': 'The rules that expose components to the outside.',
  'App store': 'Installation and upgrades of applications from app stores.',
};
type Tag = keyof typeof tags;

/** A REST operation, used by the router and the OpenAPI document. */
export interface Route {
  method: 'get' | 'post' | 'put' | 'delete';
  /** The path below `/openapi/v1`, for example `/teams/{team_id}/regions`. */
  path: string;
  operationId: string;
  tag: Tag;
  summary: string;
  description: string;
  params: z.ZodObject;
  query: z.ZodObject;
  body?: z.ZodType;
  answer: z.ZodType;
  /** Error codes in addition to those of every route of its kind. */
  errors: readonly ErrorCode[];
  /** The paths of operation inputs in the body, for example `{ certificate: ['http', 'certificate_id'] }`. */
  inputs: Readonly<Record<string, string[]>>;
  /**
   * Makes a change, for `run` to answer. Reads nothing after it: with an Idempotency-Key, the result is stored before the
   * commit. Only routes that change something have it.
   */
  change?(context: Context, given: Given): Promise<unknown>;
  /** Whether `If-Match` is compared with the entity tag of the object that is changed. */
  takesIfMatch: boolean;
  /** The entity tag of the changed object, for the `If-Match` of a later request. */
  etag?(changed: unknown): string;
  /** Makes the answer. */
  run(context: Context, given: Given, changed: unknown): Promise<unknown>;
}

export interface Given {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  body: unknown;
  /** The entity tags of `If-Match`. Undefined without conditions. */
  ifMatch?: EntityTags | undefined;
}

interface Declared<
  P extends z.ZodRawShape,
  Q extends z.ZodRawShape,
  B extends z.ZodType,
  A extends z.ZodType,
  R,
> {
  operationId: string;
  tag: Tag;
  summary: string;
  description: string;
  params?: P;
  query?: Q;
  body?: B;
  answer: A;
  errors?: readonly ErrorCode[];
  inputs?: Record<string, string[]>;
  takesIfMatch?: boolean;
  change?(context: Context, given: GivenTo<P, Q, B>): Promise<R>;
  etag?(changed: NoInfer<R>): string;
  run(context: Context, given: GivenTo<P, Q, B>, changed: NoInfer<R>): Promise<z.output<A>>;
}

interface GivenTo<P extends z.ZodRawShape, Q extends z.ZodRawShape, B extends z.ZodType> {
  path: z.output<z.ZodObject<P>>;
  query: z.output<z.ZodObject<Q>>;
  body: z.output<B>;
  ifMatch?: EntityTags | undefined;
}

/** Declares a route: `route('get /teams', { … })`. Parameters and body are checked before `run` sees them. */
export function route<
  P extends z.ZodRawShape = Record<never, never>,
  Q extends z.ZodRawShape = Record<never, never>,
  B extends z.ZodType = z.ZodUndefined,
  A extends z.ZodType = z.ZodType,
  R = undefined,
>(at: `${Route['method']} /${string}`, declared: Declared<P, Q, B, A, R>): Route {
  const [method, path] = at.split(' ') as [Route['method'], string];
  return {
    errors: [],
    inputs: {},
    takesIfMatch: false,
    ...declared,
    method,
    path,
    params: z.object(declared.params ?? {}),
    query: z.strictObject(declared.query ?? {}),
    change: declared.change as Route['change'],
    etag: declared.etag as Route['etag'],
    run: declared.run as Route['run'],
  };
}
