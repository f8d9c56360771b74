import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { findByKeys } from '../../../db/write/bulk.ts';
import type { Write } from '../../../db/write/change.ts';
import { locked } from '../../../db/write/locked.ts';
import { changeWithPlan, type ObjectChange } from '../../../db/write/plan.ts';
import { requireRevision } from '../../../db/write/revision.ts';
import { ConflictError } from '../../../kernel/errors.ts';
import { yieldToLoop } from '../../../kernel/event-loop.ts';
import { invalid } from '../../../kernel/validate.ts';
import { isSecretName, maxVariables } from '../model.ts';
import { requireComponentFor } from '../reads.ts';
import type { NewVariable } from './many-rows.ts';
import { maxVariablesInComponent, type SetVariables } from './model.ts';
import { openVariable, type PlainVariable } from './reads.ts';
import { changeVariables, type VariableChanges } from './rows.ts';

type Named = NonNullable<SetVariables['remove']>[number];
type Wanted = NonNullable<SetVariables['set']>[number];

const keyOf = ({ scope, name }: { scope?: string | null; name: string }) =>
  `${scope ?? 'environment'} ${name}`;

/** The variables to set and to remove, by scope and name. Each variable can occur once. */
function wishesOf(input: SetVariables): { set: Map<string, Wanted>; remove: Map<string, Named> } {
  const set = new Map<string, Wanted>();
  const remove = new Map<string, Named>();
  for (const [index, variable] of (input.set ?? []).entries()) {
    const key = keyOf(variable);
    if (set.has(key)) throw invalid(['input', 'set', index, 'name'], 'Duplicate name');
    set.set(key, variable);
  }
  for (const [index, variable] of (input.remove ?? []).entries()) {
    const key = keyOf(variable);
    if (remove.has(key)) throw invalid(['input', 'remove', index, 'name'], 'Duplicate name');
    if (set.has(key)) throw invalid(['input', 'remove', index, 'name'], 'Must not be in `set` as well');
    remove.set(key, variable);
  }
  if (set.size + remove.size > maxVariables) {
    throw invalid(['input', 'remove'], `With \`set\`, must be at most ${maxVariables} variables`);
  }
  return { set, remove };
}

/** Sets and removes variables. Nothing is written for those that already are as wanted. */
export async function setVariables(
  context: Context,
  input: SetVariables,
): Promise<{ component: Row<'Component'>; plan: ObjectChange[] }> {
  const { component } = await requireComponentFor(context, input.component, 'setVariables');
  const wishes = wishesOf(input);
  const { plan } = await changeWithPlan(context, 'component.set_variables', input, async (write) => {
    const owner = await locked(write, 'Component', component.id, input);
    await changeVariables(write, owner, await changesOf(write, owner, wishes));
  });
  return { component, plan };
}

async function changesOf(
  write: Write<Context>,
  component: Row<'Component'>,
  { set, remove }: ReturnType<typeof wishesOf>,
): Promise<VariableChanges> {
  const { seal, signal } = write.context;
  const names = new Set([...set.keys(), ...remove.keys()].map((key) => key.slice(key.indexOf(' ') + 1)));
  const rows = await findByKeys(write, 'EnvironmentVariable', 'name', [...names], ['id'], {
    where: { field: 'componentId', is: component.id },
  });
  const current = new Map<string, PlainVariable>();
  for (const row of rows) {
    current.set(keyOf(row), openVariable(seal, row));
    await yieldToLoop(signal);
  }
  const changes: VariableChanges = { create: [], update: [], remove: [] };
  for (const [key, wanted] of set) {
    const before = current.get(key);
    requireVariable(before, wanted);
    const after = newVariable(component.id, wanted, before);
    if (!before) changes.create.push(after);
    else if (isDifferent(before, after)) changes.update.push({ before, after });
  }
  for (const [key, named] of remove) {
    const before = current.get(key);
    requireVariable(before, named);
    if (before) changes.remove.push(before);
  }
  requireChangeable(component, changes);
  if (changes.create.length > changes.remove.length) await requireRoom(write, component, changes);
  return changes;
}

/** CONFLICT if a variable has another revision than the caller expects, or does not exist. */
function requireVariable(before: PlainVariable | undefined, { name, ...expecting }: Named): void {
  if (before) requireRevision(before, expecting, `variable ${name}`);
  else if (expecting.expectedRevision != null)
    throw new ConflictError(`The variable ${name} does not exist.`);
}

const newVariable = (
  componentId: string,
  wanted: Wanted,
  before: PlainVariable | undefined,
): NewVariable => ({
  componentId,
  name: wanted.name,
  label: wanted.label ?? before?.label ?? wanted.name,
  value: wanted.value,
  isSecret: wanted.isSecret ?? before?.isSecret ?? isSecretName(wanted.name),
  scope: wanted.scope ?? 'environment',
  isChangeable: wanted.isChangeable ?? before?.isChangeable ?? true,
  portNumber: wanted.portNumber === undefined ? (before?.portNumber ?? null) : wanted.portNumber,
});

const isDifferent = (before: PlainVariable, after: NewVariable) =>
  (Object.keys(after) as (keyof typeof before & keyof NewVariable)[]).some(
    (field) => before[field] !== after[field],
  );

const maxNamed = 10;

/** CONFLICT that names the variables which their template, or who made them, does not let users change. */
function requireChangeable(
  { name: componentName }: Row<'Component'>,
  { update, remove }: VariableChanges,
): void {
  const fixed = [...update.map(({ before }) => before), ...remove].filter((each) => !each.isChangeable);
  if (fixed.length === 0) return;
  const names = fixed.slice(0, maxNamed).map(({ name }) => name);
  const more = fixed.length > maxNamed ? ` and ${fixed.length - maxNamed} more` : '';
  throw new ConflictError(
    `These variables of the component ${componentName} cannot be changed: ${names.join(', ')}${more}.`,
  );
}

async function requireRoom(
  { tx }: Pick<Write, 'tx'>,
  { id, name }: Row<'Component'>,
  { create, remove }: VariableChanges,
): Promise<void> {
  const count = await tx.environmentVariable.count({ where: { componentId: id } });
  if (count + create.length - remove.length <= maxVariablesInComponent) return;
  throw new ConflictError(
    `The component ${name} has ${count} environment variables, and can have at most ${maxVariablesInComponent}.`,
  );
}
