import type { GraphQLResolveInfo } from 'graphql';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { makeChange } from '../../http/refused-change.ts';
import { type Action, type Role, requiredRoles } from '../../kernel/actions.ts';
import { UnauthenticatedError } from '../../kernel/errors.ts';
import { builder } from './builder.ts';
import { mutationErrors } from './errors.ts';
import { type Exposed, exposed, type Property } from './exposed.ts';
import { inputOf } from './input.ts';
import { requireNoneHidden } from './node.ts';
import { plan } from './plan.ts';
import { validatedBy } from './validation.ts';

/** The options of the operation for clients that call the mutation by its name. */
export interface OperationOptions {
  /** Whether it is among the tools that are listed at first. */
  isDaily?: boolean;
  /** Why it is no tool. */
  noTool?: string;
  /** A hint for callers, after the description: which operation to call before it, for example. */
  advice?: string;
  /** The selections of fields of the payload, instead of the fragment of their type. Nothing is selected for false. */
  selection?: Readonly<Record<string, string | false>>;
}

interface MutationOptions {
  description: string;
  /** Who may make the change, which the description ends with, if not who has the role that the action requires. */
  requires?: Requires;
  /** Who else may: `the user of the token`. */
  orElse?: string;
  /** Whether other fields of the payload say what a dry run would change. */
  hasOwnPlan?: boolean;
  operation?: OperationOptions;
  /** Errors of this mutation, in addition to those of every mutation. */
  errors?: (new (
    ...args: never[]
  ) => Error)[];
}

/** If the input has `dryRun`, there is a `plan` as well: that of `ObjectChange`, unless the payload has one. */
type Payload<P> = { payload: Exposed<NoInfer<P>> };

/** The lowest role in the team that is enough, an enterprise administrator, or any caller. */
export type Requires = Role | 'administrator' | 'caller';

function requirementText(requires: Requires, orElse: string | undefined): string {
  if (requires === 'caller') return '';
  const who =
    requires === 'administrator' ? 'an enterprise administrator' : `the \`${requires}\` role in the team`;
  return ` Requires ${who}${orElse ? `, or ${orElse}` : ''}.`;
}

/**
 * Makes the change. Reads nothing after it: with an Idempotency-Key, the result is stored in the transaction, before the
 * commit.
 */
type Run<S extends z.ZodObject, R> = (context: Context, input: z.output<S>) => Promise<R>;

/** Makes the payload of the result, after the commit. */
type Load<R, P> = (context: Context, result: R) => Promise<P>;

/**
 * The types of objects that callers can be limited to. Others are made by the change, such as the job of a preview, which its
 * caller need not see otherwise, or are in the place that the change requires a right in.
 */
const limitedTo: ReadonlySet<string> = new Set(['Team', 'Application', 'Component']);

/**
 * NOT_FOUND if the payload of a change that an earlier request has made has an object that the caller may no longer see: its
 * fields have their present values.
 */
async function requireNoneHiddenIn(context: Context, fields: object, payload: object): Promise<void> {
  for (const [name, { options }] of Object.entries(fields as Record<string, Property<unknown>>)) {
    const [type] = [(options as { type: { name: string } | [{ name: string }] } | undefined)?.type].flat();
    const values = [(payload as Record<string, unknown>)[name]].flat().filter((value) => value != null);
    if (type && limitedTo.has(type.name)) await requireNoneHidden(context, type.name, values as object[]);
  }
}

/**
 * Defines a mutation with a single input, validated by a zod object, and a payload type of its own. The result
 * is a union of the payload and typed errors. With `returns`, the payload has the one object that the run returns.
 */
export function mutation<S extends z.ZodObject, P extends object, R>(
  name: Action,
  schema: S,
  run: Run<S, R>,
  options: MutationOptions & Payload<P> & { load: Load<R, P> },
): void;
export function mutation<S extends z.ZodObject, P extends object>(
  name: Action,
  schema: S,
  run: Run<S, P>,
  options: MutationOptions & (Payload<P> | { returns: Record<string, Property<NoInfer<P>>> }),
): void;
export function mutation<S extends z.ZodObject, P extends object>(
  name: Action,
  schema: S,
  run: Run<S, unknown>,
  options: MutationOptions & Partial<Payload<P>> & { returns?: object; load?: Load<unknown, P> },
): void {
  const requires = options.requires ?? requiredRoles[name];
  const title = `${name[0]!.toUpperCase()}${name.slice(1)}`;
  const input = inputOf(`${title}Input`, schema, `The input of \`${name}\`.`);
  const fields = options.payload ?? options.returns!;
  const payload = builder.objectRef<P>(`${title}Payload`).implement({
    description: `The payload of a successful \`${name}\`.`,
    fields: (t) => {
      const hasPlan = 'plan' in fields || options.hasOwnPlan || !('dryRun' in schema.shape);
      return exposed<object>(t, hasPlan ? fields : { ...fields, plan });
    },
  });
  builder.mutationField(name, (t) =>
    t.field({
      type: payload,
      description: options.description + requirementText(requires, options.orElse),
      extensions: { requires, operation: options.operation },
      errors: {
        types: [...mutationErrors, ...(options.errors ?? [])] as (new (...args: unknown[]) => Error)[],
        union: { description: `The result of \`${name}\`: its payload or an error.` },
      },
      args: {
        input: t.arg({
          type: input,
          required: true,
          description: 'The input of the mutation.',
          validate: validatedBy(schema),
        }),
      },
      // Pothos gives the resolver the input as sent, but validation replaces it with zod's output.
      resolve: (async (
        _: object,
        args: { input: z.output<S> },
        context: Context,
        { path }: GraphQLResolveInfo,
      ) => {
        // Drops the rights required by an earlier mutation of the request.
        context.rights = [];
        if (context.actorNow) {
          // Re-reads the actor, so that earlier mutations in the request count.
          const actor = await context.actorNow();
          if (!actor) throw new UnauthenticatedError();
          context.actor = actor;
        }
        const { idempotency } = context;
        const { dryRun } = args.input as { dryRun?: boolean | null };
        const make = () =>
          makeChange(context, { name, isDryRun: dryRun === true }, async () => {
            const made = await run(context, args.input);
            return options.returns ? { [Object.keys(options.returns)[0]!]: made } : made;
          });
        const key = String(path.key);
        const result = idempotency ? await idempotency.once(key, context, make) : await make();
        const loaded = (options.load ? await options.load(context, result) : result) as P;
        if (idempotency?.hasStored(key)) await requireNoneHiddenIn(context, fields, loaded);
        return loaded;
      }) as never,
    }),
  );
}
