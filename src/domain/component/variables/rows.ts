import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import type { Write } from '../../../db/write/change.ts';
import { mapInSlices, yieldInTransaction } from '../../../kernel/event-loop.ts';
import { requireOwnDependents, requireSmallForDependents } from '../dependencies/provided-reads.ts';
import { markChanged } from '../rows.ts';
import { bytesOf } from '../size/model.ts';
import { requireConfigurationFits, requireObjectRoom } from '../size/rows.ts';
import { insertVariables, type NewVariable, removeVariables, setVariables } from './many-rows.ts';
import type { PlainVariable } from './reads.ts';

export interface VariableChanges {
  create: NewVariable[];
  update: { before: PlainVariable; after: NewVariable }[];
  remove: PlainVariable[];
}

/** Encrypts the secrets that a transaction will write, before it begins, unless they are copied as they are. */
export async function sealBefore(
  { seal, signal }: Pick<Context, 'seal' | 'signal'>,
  changes: readonly VariableChanges[],
): Promise<void> {
  const all = changes.flatMap(({ create, update }) => [...create, ...update.map(({ after }) => after)]);
  const secrets = all.filter(({ isSecret, sealedBefore }) => isSecret && sealedBefore === undefined);
  await mapInSlices(
    secrets,
    (variable) => {
      variable.sealedBefore = seal.close(variable.value);
    },
    signal,
  );
}

/** Longer values are cut off in events. Otherwise the values of 500 variables could be too large for one event. */
const maxShownLength = 1_000;

const attributes = ['label', 'isSecret', 'isChangeable', 'portNumber'] as const;

// Names of variables contain no spaces, so these keys are unique.
const fieldOf = ({ scope, name }: Pick<NewVariable, 'scope' | 'name'>) => `${scope} ${name}`;

/** Writes the changes of one component, and marks it as changed. */
export async function changeVariables(
  write: Write<Context>,
  component: Row<'Component'>,
  changes: VariableChanges,
): Promise<void> {
  if (!isChange(changes)) return;
  const more = changes.create.length - changes.remove.length;
  if (more > 0) await requireObjectRoom(write, component.applicationId, more);
  await changeAllVariables(write, [{ component, changes }]);
  if (bytesAdded(changes) > 0) await requireConfigurationFits(write, [component]);
  await markChanged(write, component, { isOwn: true });
}

/** Negative if there are fewer bytes than before. */
export const bytesAdded = ({ create, update, remove }: VariableChanges): number =>
  bytesOf(create) +
  bytesOf(update.map(({ after }) => after)) -
  bytesOf(update.map(({ before }) => before)) -
  bytesOf(remove);

const ofConnections = ({ create, update, remove }: VariableChanges): VariableChanges => {
  const isOfConnections = ({ scope }: { scope: string }) => scope === 'connection';
  return {
    create: create.filter(isOfConnections),
    update: update.filter(({ after }) => isOfConnections(after)),
    remove: remove.filter(isOfConnections),
  };
};

const isChange = ({ create, update, remove }: VariableChanges) =>
  create.length + update.length + remove.length > 0;

/**
 * Writes the changes of many components in few statements, and an event for each component with the values before and after.
 * The caller marks the components as changed.
 */
export async function changeAllVariables(
  write: Write<Context>,
  changed: readonly { component: Row<'Component'>; changes: VariableChanges }[],
): Promise<void> {
  const [first] = changed;
  if (!first) return;
  const created = changed.flatMap(({ changes: { create } }) => create);
  await requireOwnDependents(
    write,
    first.component.teamId,
    created.filter(({ scope }) => scope === 'connection'),
  );
  await removeVariables(
    write,
    changed.flatMap(({ changes }) => changes.remove.map(({ id }) => id)),
  );
  await setVariables(
    write,
    changed.flatMap(({ changes }) =>
      changes.update.map(({ before, after: { componentId: _, ...variable } }) => ({
        id: before.id,
        variable,
      })),
    ),
  );
  await insertVariables(write, created);
  const grown = changed.filter(({ changes }) => bytesAdded(ofConnections(changes)) > 0);
  await requireSmallForDependents(
    write,
    first.component.teamId,
    grown.map(({ component }) => component.id),
  );
  for (const { component, changes } of changed) {
    if (isChange(changes)) recordVariables(write, component, changes);
    await yieldInTransaction(write.context.signal);
  }
}

function recordVariables(
  write: Pick<Write, 'recordEvent'>,
  { id, teamId, applicationId }: Row<'Component'>,
  { create, update, remove }: VariableChanges,
): void {
  const before: Record<string, unknown> = {};
  const after: Record<string, unknown> = {};
  const secrets = new Set<string>();
  const note = (was: PlainVariable | undefined, is: NewVariable | undefined) => {
    const field = fieldOf((is ?? was)!);
    if (was?.isSecret || is?.isSecret) secrets.add(field);
    if (was) before[field] = was.value;
    if (is) after[field] = is.value;
    if (!was || !is) return;
    for (const attribute of attributes) {
      before[`${field} ${attribute}`] = was[attribute];
      after[`${field} ${attribute}`] = is[attribute];
    }
  };
  for (const variable of remove) note(variable, undefined);
  for (const each of update) note(each.before, each.after);
  for (const variable of create) note(undefined, variable);
  write.recordEvent({
    action: 'component.set_variables',
    subject: { type: 'Component', id },
    teamId,
    applicationId,
    before,
    after,
    shown: (field, value) => (value !== null && secrets.has(field) ? '[redacted]' : shortened(value)),
  });
}

const shortened = (value: unknown) =>
  typeof value === 'string' && value.length > maxShownLength
    ? `${value.slice(0, maxShownLength)}… (${value.length} characters)`
    : value;
