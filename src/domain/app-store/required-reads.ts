import type { Row } from '../../db/tables.ts';
import type { AppTemplate, TemplateComponent } from '../../drivers/app-store/template.ts';
import { InvalidInputError, type Issue } from '../../kernel/errors.ts';
import type { RequiredVariable, TemplateVariable } from './model.ts';

const lists = { environment: 'variables', connection: 'connectionVariables' } as const;
type Scope = keyof typeof lists;
const scopes = Object.keys(lists) as Scope[];

/** The variables of components that a template leaves without a value and that have to get one. */
export const requiredVariablesOf = (components: readonly TemplateComponent[]): RequiredVariable[] =>
  components.flatMap((component) =>
    scopes.flatMap((scope) =>
      component[lists[scope]]
        .filter(({ isRequired }) => isRequired)
        .map(({ name }) => ({ componentKey: component.key, componentName: component.name, name, scope })),
    ),
  );

/** The components with the given values of their variables. `at` is the path of the list of values in the input. */
export function withValues(
  components: readonly TemplateComponent[],
  given: readonly TemplateVariable[],
  at: (string | number)[],
): TemplateComponent[] {
  if (given.length === 0) return [...components];
  const issues: Issue[] = [];
  const refuse = (index: number, field: string, message: string) =>
    issues.push({ path: [...at, index, field], message });
  const byKey = new Map(components.map((component) => [component.key, component]));
  const values = new Map<string, string>();
  for (const [index, { component: named, name, scope: wanted, value }] of given.entries()) {
    const scope = wanted ?? 'environment';
    const alike = components.filter((component) => component.name === named);
    const component = byKey.get(named) ?? (alike.length === 1 ? alike[0] : undefined);
    if (!component) {
      refuse(
        index,
        'component',
        alike.length > 1 ? 'Several components have this name. Use the key' : 'Unknown component',
      );
      continue;
    }
    if (component[lists[scope]].every((variable) => variable.name !== name)) {
      refuse(index, 'name', 'Unknown variable of the component');
      continue;
    }
    const place = placeOf(component.key, scope, name);
    if (values.has(place)) refuse(index, 'name', 'Duplicate variable');
    values.set(place, value);
  }
  if (issues.length > 0) throw new InvalidInputError(issues);
  return components.map((component) => {
    const filled = (scope: Scope) =>
      component[lists[scope]].map((variable) => {
        const value = values.get(placeOf(component.key, scope, variable.name));
        return value === undefined ? variable : { ...variable, value, isRequired: false };
      });
    return {
      ...component,
      variables: filled('environment'),
      connectionVariables: filled('connection') as TemplateComponent['connectionVariables'],
    };
  });
}

const placeOf = (key: string, scope: Scope, name: string) => JSON.stringify([key, scope, name]);

/** INVALID_INPUT that names every variable without a value. */
export function requireValues(missing: readonly RequiredVariable[], at: (string | number)[]): void {
  if (missing.length === 0) return;
  throw new InvalidInputError(
    missing.map(({ componentName, name, scope }) => ({
      path: at,
      message: `The ${scope} variable ${name} of the component ${componentName} requires a value`,
    })),
  );
}

/** A template in a region: no version of it needs root where that is not allowed. */
export const withinRegion = <T extends AppTemplate>(template: T, { allowsRoot }: Row<'Region'>): T =>
  allowsRoot
    ? template
    : { ...template, components: template.components.map((each) => ({ ...each, needsRoot: false })) };
