import type { TemplateComponent } from '../../../drivers/app-store/template.ts';
import { isSecretName } from '../../component/model.ts';
import type { NewVariable as StoredVariable } from '../../component/variables/many-rows.ts';
import type { DesiredComponent } from '../../plan/component.ts';
import type { VariableEntry } from '../../plan/component-model.ts';
import { additionalNameOf, wantedServiceName } from '../inner-name-reads.ts';
import { type AdditionalNames, follows, type MergeInput } from './input.ts';

type NewVariable = Omit<StoredVariable, 'componentId'>;

type DesiredVariables = Pick<DesiredComponent, 'variables' | 'connectionVariables'>;

/**
 * The variables of a component in a template, without connection variables that are derived from its ports.
 * If the component was assigned a different internal domain name than requested, connection variables have the
 * assigned one.
 */
function variablesOf(
  component: TemplateComponent,
  serviceName: string | null,
  additionalNames: AdditionalNames = {},
): NewVariable[] {
  const wanted = wantedServiceName(component);
  const names = new Map(Object.entries(additionalNames));
  if (wanted !== null && serviceName !== null) names.set(wanted, serviceName);
  const isSecret = (variable: { name: string; isSecret?: boolean | null }) =>
    variable.isSecret ?? isSecretName(variable.name);
  return [
    ...component.variables.map(({ isRequired: _, ...each }) => ({
      ...each,
      isSecret: isSecret(each),
      scope: 'environment',
      portNumber: null,
    })),
    ...component.connectionVariables
      .filter((each) => !repeatsDerived(component, each))
      .map(({ isRequired: _, ...each }) => ({
        ...each,
        isSecret: isSecret(each),
        scope: 'connection',
        value: names.get(each.value) ?? each.value,
      })),
  ];
}

/** Whether the variable equals one that is derived from a port of the component. */
const repeatsDerived = (component: TemplateComponent, { name, value }: { name: string; value: string }) =>
  component.ports.some(
    (port) =>
      (name === `${port.alias}_PORT` && value === String(port.number)) ||
      (name === `${port.alias}_HOST` &&
        value === (additionalNameOf(component, port) ?? wantedServiceName(component))),
  );

const nameOf = ({ scope, name }: { scope: string; name: string }) => `${scope} ${name}`;

/** The variables of a new component. */
export const desiredVariables = (...of: Parameters<typeof variablesOf>): DesiredVariables =>
  byScope(variablesOf(...of).map((variable) => [variable, variable]));

function byScope(entries: readonly [NewVariable, VariableEntry][]): DesiredVariables {
  const within = (wanted: string) =>
    new Map(
      entries.flatMap(([{ scope, name }, entry]) => (scope === wanted ? [[name, entry] as const] : [])),
    );
  return { variables: within('environment'), connectionVariables: within('connection') };
}

/** The variables of a component that a new version sets and removes. `moved` is its new internal domain name. */
export function mergeVariables(
  { base, next, current, variables, assignedName, assignedNames }: MergeInput,
  moved: string | undefined,
  names: AdditionalNames,
): DesiredVariables {
  const old = new Map(
    (base ? variablesOf(base, assignedName, assignedNames) : []).map((each) => [nameOf(each), each]),
  );
  const serviceName = moved ?? current.row.serviceName;
  const fresh = new Map(variablesOf(next, serviceName, names).map((each) => [nameOf(each), each]));
  const [asked, asks] = [valuesAsked(base), valuesAsked(next)];
  const currentByName = new Map(variables.map((each) => [nameOf(each), each]));
  const entries: [NewVariable, VariableEntry][] = [];
  for (const [name, variable] of fresh) {
    const [was, is] = [old.get(name), currentByName.get(name)];
    if (!is && !was) entries.push([variable, variable]);
    if (!is || !was) continue;
    // A variable with the internal domain name differs if a user renamed it and the template did not change it.
    const isAskedAnew = moved !== undefined || asked.get(name) !== asks.get(name);
    const hasNewValue = isAskedAnew && follows('value', was, variable, is);
    // A value that a user has set stays secret: the template did not give it.
    const wouldExpose = is.isSecret && !variable.isSecret && !hasNewValue && is.value !== was.value;
    const hasNewFlag = !wouldExpose && follows('isSecret', was, variable, is);
    if (!hasNewValue && !hasNewFlag) continue;
    const { isSecret } = hasNewFlag ? variable : is;
    entries.push([variable, { ...(hasNewValue ? variable : { value: is.value }), isSecret }]);
  }
  for (const [name, was] of old) {
    if (!fresh.has(name) && currentByName.get(name)?.value === was.value) entries.push([was, null]);
  }
  return byScope(entries);
}

const valuesAsked = (component: TemplateComponent | undefined) =>
  new Map((component ? variablesOf(component, null) : []).map((each) => [nameOf(each), each.value]));
