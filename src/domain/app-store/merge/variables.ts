import type { TemplateComponent } from '../../../drivers/app-store/template.ts';
import { isSecretName } from '../../component/model.ts';
import type { NewVariable as StoredVariable } from '../../component/variables/many-rows.ts';
import type { VariableChanges } from '../../component/variables/rows.ts';
import { additionalNameOf, wantedServiceName } from '../inner-name-reads.ts';
import { type AdditionalNames, follows, type MergeInput, type Say } from './input.ts';

export type NewVariable = Omit<StoredVariable, 'componentId'>;

/**
 * The variables of a component in a template, without connection variables that are derived from its ports.
 * If the component was assigned a different internal domain name than requested, connection variables have the
 * assigned one.
 */
export function variablesOf(
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

/** The changes of an upgrade to the variables of a component. `moved` is its new internal domain name, null if unchanged. */
export function mergeVariables(
  { base, next, current, given, givenNames }: MergeInput,
  moved: string | null,
  names: AdditionalNames,
  say: Say,
): VariableChanges {
  const { id: componentId } = current.row;
  const merge: VariableChanges = { create: [], update: [], remove: [] };
  const old = new Map((base ? variablesOf(base, given, givenNames) : []).map((each) => [nameOf(each), each]));
  const serviceName = moved ?? current.row.serviceName;
  const fresh = new Map(variablesOf(next, serviceName, names).map((each) => [nameOf(each), each]));
  const [asked, asks] = [valuesAsked(base), valuesAsked(next)];
  const currentByName = new Map(current.variables.map((each) => [nameOf(each), each]));
  for (const [name, variable] of fresh) {
    const [was, is] = [old.get(name), currentByName.get(name)];
    if (!is) {
      if (was) continue;
      merge.create.push({ componentId, ...variable });
      say('ADD_VARIABLE', variable.name, null, shown(variable, variable.value));
      continue;
    }
    if (!was) continue;
    // A variable with the internal domain name differs if a user renamed it and the template did not change it.
    const isAskedAnew = moved !== null || asked.get(name) !== asks.get(name);
    const hasNewValue = isAskedAnew && follows('value', was, variable, is);
    // A value that a user has set stays secret: the template did not give it.
    const wouldExpose = is.isSecret && !variable.isSecret && !hasNewValue && is.value !== was.value;
    const hasNewFlag = !wouldExpose && follows('isSecret', was, variable, is);
    if (!hasNewValue && !hasNewFlag) continue;
    const isSecret = hasNewFlag ? variable.isSecret : is.isSecret;
    const { id: _, revision: __, manifestId: ___, ...stored } = is;
    merge.update.push({ before: is, after: { ...stored, ...(hasNewValue && variable), isSecret } });
    const hides = { isSecret: is.isSecret || isSecret };
    if (hasNewValue) say('SET_VARIABLE', is.name, shown(hides, is.value), shown(hides, variable.value));
    if (hasNewFlag) say('SET_VARIABLE', `${is.name} isSecret`, is.isSecret, isSecret);
  }
  for (const [name, was] of old) {
    const is = currentByName.get(name);
    if (fresh.has(name) || !is || is.value !== was.value) continue;
    merge.remove.push(is);
    say('REMOVE_VARIABLE', is.name, shown(is, is.value), null);
  }
  return merge;
}

/** The values in the template. */
const valuesAsked = (component: TemplateComponent | undefined) =>
  new Map((component ? variablesOf(component, null) : []).map((each) => [nameOf(each), each.value]));

/** Redacts the values of secrets in plans and records. */
const shown = ({ isSecret }: { isSecret: boolean }, value: string) => (isSecret ? '[redacted]' : value);
