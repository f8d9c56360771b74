import type { Row } from '../../db/tables.ts';
import { hasEntry } from '../../kernel/entries.ts';
import { isSecretName, wasDeployed } from '../component/model.ts';
import type { NewVariable } from '../component/variables/many-rows.ts';
import type { PlainVariable } from '../component/variables/reads.ts';
import { fieldChange, object } from './change-list.ts';
import type { VariableEntry } from './component-model.ts';
import type { FieldChange, ObjectKind } from './model.ts';
import { actionFor, entriesOf, isAdopted, type Path } from './parts.ts';
import { ownershipOf, type Scene } from './scene.ts';
import type { ComponentWork } from './work.ts';

type Component = Row<'Component'>;

const kindOf = { environment: 'VARIABLE', connection: 'CONNECTION_VARIABLE' } as const;

const variableAttributes = ['label', 'isSecret', 'isChangeable', 'portNumber'] as const;

export function planVariables(
  scene: Scene,
  work: ComponentWork,
  scope: keyof typeof kindOf,
  collection: { [name: string]: VariableEntry } | null | undefined,
  path: Path,
): void {
  if (collection === undefined) return;
  const { list, issues } = scene;
  const { variables, row: component } = work;
  const standing = (scene.plainVariables.get(component.id) ?? []).filter((each) => each.scope === scope);
  const byName = new Map(standing.map((each) => [each.name, each]));
  const kind: ObjectKind = kindOf[scope];
  const about = { takesEffect: work.current && !wasDeployed(component) ? 'AT_ONCE' : 'NEXT_DEPLOY' } as const;
  const remove = (is: PlainVariable) => {
    requireChangeable(scene, component, is);
    variables.remove.push(is);
    list.add(
      'DELETE',
      object(kind, work.name, is.name),
      [fieldChange('value', is.value, null, is.isSecret)],
      about,
    );
  };
  for (const [name, given] of entriesOf(collection)) {
    const is = byName.get(name);
    const at = [...path, name];
    if (given === null) {
      if (is) remove(is);
      continue;
    }
    const wanted = typeof given === 'string' ? { value: given } : given;
    const isKept = wanted.secret !== undefined;
    if (!is) {
      if (isKept) issues.push({ path: [...at, 'secret'], message: 'There is no stored value to keep' });
      else if (wanted.value === undefined) issues.push({ path: at, message: 'Must have a value' });
      const variable: NewVariable = {
        componentId: component.id,
        name,
        label: wanted.label ?? name,
        value: wanted.value ?? '',
        isSecret: wanted.isSecret ?? isSecretName(name),
        scope,
        isChangeable: wanted.isChangeable ?? true,
        portNumber: wanted.portNumber ?? null,
      };
      variables.create.push(variable);
      list.add('CREATE', object(kind, work.name, name), variableFields(undefined, variable), about);
      continue;
    }
    const { id: _, revision: __, manifestId: ___, ...stored } = is;
    const after: NewVariable = {
      ...stored,
      value: wanted.value ?? is.value,
      isSecret: wanted.isSecret ?? (wanted.isSecret === null ? isSecretName(name) : isKept || is.isSecret),
      label: wanted.label === undefined ? is.label : (wanted.label ?? name),
      isChangeable: wanted.isChangeable === undefined ? is.isChangeable : (wanted.isChangeable ?? true),
      portNumber: wanted.portNumber === undefined ? is.portNumber : wanted.portNumber,
    };
    if (is.isSecret && !after.isSecret && wanted.value === undefined) {
      issues.push({
        path: [...at, 'isSecret'],
        message: 'The stored value is a secret. Give the value again to make it readable',
      });
    }
    const fields = variableFields(is, after);
    if (fields.length > 0) {
      requireChangeable(scene, component, is);
      variables.update.push({ before: is, after });
      list.add(actionFor(scene, work, is), object(kind, work.name, name), fields, about);
    } else if (isAdopted(scene, work, is)) {
      work.adopt.variables.push(is.id);
      list.adopted.push(object(kind, work.name, name));
    }
  }
  for (const is of standing) {
    if (hasEntry(collection, is.name) || ownershipOf(scene, is) !== 'own') continue;
    if (scene.prune === 'owned') remove(is);
    else list.leftOver.push(object(kind, work.name, is.name));
  }
}

function requireChangeable(
  scene: Scene,
  component: Component,
  { name, scope, isChangeable }: PlainVariable,
): void {
  if (isChangeable || scene.isRestore) return;
  scene.conflicts.push({
    path: ['components', component.name, scope === 'connection' ? 'connectionVariables' : 'variables', name],
    message: `The variable ${name} of the component ${component.name} is not changeable.`,
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
