import type { ObjectRef } from '@pothos/core';
import type { Context } from '../../context.ts';
import { type ActedOn, type ActionOn, actionsOn, enumName } from '../../kernel/actions.ts';
import { derived } from '../../kernel/derived.ts';
import { getOrCompute } from '../../kernel/memo.ts';
import { builder, type Types } from './builder.ts';

interface ViewerCan<R extends object, C extends keyof R & string, On extends ActedOn> {
  /** The name of the type. */
  type: On;
  /** The noun for the type in descriptions: `a port`. */
  noun: string;
  /** The columns that the decision uses. */
  columns: readonly C[];
  /** Other conditions that make an action impossible, for the description. */
  unless?: string;
  decide: (context: Context, row: Pick<R, C>, action: ActionOn<On>) => boolean | Promise<boolean>;
}

/** Adds the field with the actions that the caller may do. */
export function viewerCan<R extends object, C extends keyof R & string, On extends ActedOn>(
  ref: ObjectRef<Types, R>,
  { type, noun, columns, unless, decide }: ViewerCan<R, C, On>,
): void {
  const actions = actionsOn(type);
  const action = builder.enumType<string, Record<string, { value: string; description: string }>>(
    `${type}Action`,
    {
      description: `An action on ${noun}: a mutation.`,
      values: Object.fromEntries(
        actions
          .sort()
          .map((name) => [enumName(name), { value: name, description: `The mutation \`${name}\`.` }]),
      ),
    },
  );
  const answers = derived<R, Map<string, boolean | Promise<boolean>>, Context>(
    () => new Map(),
    () => actions.length,
  );
  builder.objectField(ref, 'viewerCan', (t) =>
    t.using(...(columns as readonly never[])).boolean({
      description: `Whether the caller can perform an action on the ${type.toLowerCase()}. False if the role of the caller or the access token does not allow the action${unless ? `, or if ${unless}` : ''}. The mutation follows the same rules, but can still fail because of its input or other objects.`,
      args: { action: t.arg({ type: action, required: true, description: 'The action.' }) },
      resolve: (row, args, context) =>
        !context.actor.isReadOnly &&
        // Once per action, however many aliases select it.
        getOrCompute(answers(row as R, context), args.action, () =>
          decide(context, row as Pick<R, C>, args.action as ActionOn<On>),
        ),
    }),
  );
}
