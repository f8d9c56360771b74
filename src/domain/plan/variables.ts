import type { Row } from '../../db/tables.ts';
import { isSecretName } from '../component/model.ts';
import type { NewVariable } from '../component/variables/many-rows.ts';
import type { PlainVariable } from '../component/variables/reads.ts';
import { fieldChange } from './change-list.ts';
import type { VariableEntry } from './component-model.ts';
import type { FieldChange } from './model.ts';
import { compareList, type Entries, type Path, withDeploy } from './parts.ts';
import type { Scene } from './scene.ts';
import type { ComponentWork } from './work.ts';

type Component = Row<'Component'>;

const kindOf = { environment: 'VARIABLE', connection: 'CONNECTION_VARIABLE' } as const;

const variableAttributes = ['label', 'isSecret', 'isChangeable', 'portNumber'] as const;

export function planVariables(
  scene: Scene,
  work: ComponentWork,
  scope: keyof typeof kindOf,
  entries: Entries<VariableEntry> | undefined,
  path: Path,
): void {
  const { issues } = scene;
  const { variables, row: component } = work;
  compareList<PlainVariable, Exclude<VariableEntry, null>>(scene, work, entries, {
    kind: kindOf[scope],
    standing: (scene.plainVariables.get(component.id) ?? []).filter((each) => each.scope === scope),
    keyOf: ({ name }) => name,
    about: withDeploy(work),
    create(name, entry) {
      const wanted = fieldsOf(entry);
      const at = [...path, name];
      if (wanted.secret !== undefined) {
        issues.push({ path: [...at, 'secret'], message: 'There is no stored value to keep' });
      } else if (wanted.value === undefined) issues.push({ path: at, message: 'Must have a value' });
      const variable = variableAfter(initialVariable(component, scope, name), wanted);
      variables.create.push(variable);
      return { fields: variableFields(undefined, variable) };
    },
    update(before, entry) {
      const { id: _, revision: __, manifestId: ___, ...stored } = before;
      const after = variableAfter(stored, fieldsOf(entry));
      if (before.isSecret && !after.isSecret && fieldsOf(entry).value === undefined) {
        issues.push({
          path: [...path, before.name, 'isSecret'],
          message: 'The stored value is a secret. Give the value again to make it readable',
        });
      }
      const fields = variableFields(before, after);
      if (fields.length > 0) {
        requireChangeable(scene, component, before);
        variables.update.push({ before, after });
      }
      return { fields };
    },
    remove(before) {
      requireChangeable(scene, component, before);
      variables.remove.push(before);
      return { fields: [fieldChange('value', before.value, null, before.isSecret)] };
    },
    adopt: ({ id }) => work.adopt.variables.push(id),
  });
}

type Fields = Exclude<VariableEntry, string | null>;

const fieldsOf = (entry: Exclude<VariableEntry, null>): Fields =>
  typeof entry === 'string' ? { value: entry } : entry;

const initialVariable = ({ id: componentId }: Component, scope: string, name: string): NewVariable => ({
  ...{ componentId, scope, name, label: name, value: '' },
  ...{ isSecret: isSecretName(name), isChangeable: true, portNumber: null },
});

/** Fields that are left out stay, and null stands for the default. */
function variableAfter(before: NewVariable, wanted: Fields): NewVariable {
  const { isSecret, label, isChangeable, portNumber } = wanted;
  return {
    ...before,
    value: wanted.value ?? before.value,
    isSecret:
      isSecret ??
      (isSecret === null ? isSecretName(before.name) : wanted.secret !== undefined || before.isSecret),
    label: label === undefined ? before.label : (label ?? before.name),
    isChangeable: isChangeable === undefined ? before.isChangeable : (isChangeable ?? true),
    portNumber: portNumber === undefined ? before.portNumber : portNumber,
  };
}

function requireChangeable(
  scene: Scene,
  component: Component,
  { name, scope, isChangeable }: PlainVariable,
): void {
  if (isChangeable || scene.keepsOwners) return;
  scene.conflicts.push({
    path: ['components', component.name, scope === 'connection' ? 'connectionVariables' : 'variables', name],
    message: `The variable ${name} of the component ${component.name} cannot be changed.`,
    isKey: true,
  });
}

function variableFields(before: PlainVariable | undefined, after: NewVariable): FieldChange[] {
  const isSecret = after.isSecret || (before?.isSecret ?? false);
  const initial = {
    label: after.name,
    isSecret: isSecretName(after.name),
    isChangeable: true,
    portNumber: null,
  };
  return [
    ...(before?.value === after.value
      ? []
      : [fieldChange('value', before?.value ?? null, after.value, isSecret)]),
    ...variableAttributes.flatMap((field) =>
      (before ?? initial)[field] === after[field]
        ? []
        : fieldChange(field, before?.[field] ?? null, after[field]),
    ),
  ];
}
