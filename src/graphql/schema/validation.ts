import SchemaBuilder, { type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import pluginName, { PothosZodPlugin } from '@pothos/plugin-zod';
import type { GraphQLFieldResolver } from 'graphql';
import type { z } from 'zod';

type Resolver<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>;

/**
 * The zod plugin, except that arguments are validated once per request instead of once per parent.
 * All parents share the same arguments. Without arguments that have a validator, nothing is validated.
 */
class ValidateOnce<Types extends SchemaTypes> extends PothosZodPlugin<Types> {
  override wrapResolve(resolver: Resolver<Types>, field: PothosOutputFieldConfig<Types>): Resolver<Types> {
    const argumentsAlone: Resolver<Types> = (_, args) => args;
    const validate = super.wrapResolve(argumentsAlone, field);
    if (validate === argumentsAlone) return resolver;
    const names = Object.keys(field.args).filter((name) => field.args[name]?.extensions?.validator);
    const validated = new WeakMap<object, Promise<object>>();
    const resolveValid: Resolver<Types> = (parent, args, context, info) => {
      let valid = validated.get(args);
      if (!valid) {
        valid = validate(parent, args, context, info) as Promise<object>;
        validated.set(args, valid);
      }
      return valid.then((each) => resolver(parent, each, context, info));
    };
    // Without closures, because most fields come this way, hundreds in one response.
    return (parent, args, context, info) =>
      hasAny(args as Record<string, unknown>, names)
        ? resolveValid(parent, args, context, info)
        : resolver(parent, args, context, info);
  }
}

function hasAny(args: Record<string, unknown>, names: readonly string[]): boolean {
  for (const name of names) if (args[name] !== undefined) return true;
  return false;
}

/**
 * How an argument is validated. The plugin's type wants a schema whose output is the type that the builder infers for
 * the argument; ours are checked against the input types that are made of them, and so the type says nothing.
 */
export const validatedBy = (schema: z.ZodType) => ({ schema }) as never;

SchemaBuilder.allowPluginReRegistration = true;
SchemaBuilder.registerPlugin(pluginName, ValidateOnce);
SchemaBuilder.allowPluginReRegistration = false;

export default pluginName;
