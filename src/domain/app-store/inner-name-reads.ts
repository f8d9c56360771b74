import type { TemplateComponent } from '../../drivers/app-store/template.ts';
import { entryOf } from '../../kernel/entries.ts';
import { freeName, type TakenNames } from '../component/names/model.ts';
import type { AdditionalNames } from './merge/input.ts';

/** The maximum length of an internal domain name, a DNS label. */
const maxNameLength = 63;

/** The internal domain name that a template requests for a component: the first one of its ports. */
export const wantedServiceName = (component: TemplateComponent) =>
  component.ports.find(({ serviceName }) => serviceName !== null)?.serviceName ?? null;

/** The additional internal domain name that a template requests for a port. Null if there is none. */
export const additionalNameOf = (
  component: TemplateComponent,
  { serviceName }: Pick<TemplateComponent['ports'][number], 'serviceName'>,
) => (serviceName === wantedServiceName(component) ? null : serviceName);

/** Assigns a name for each requested additional name: the previously assigned one, otherwise a free one. */
export function nameAdditional(
  component: TemplateComponent,
  taken: TakenNames,
  assigned: AdditionalNames = {},
): AdditionalNames {
  const names: { [wanted: string]: string } = {};
  for (const port of component.ports) {
    const wanted = additionalNameOf(component, port);
    if (wanted === null || Object.hasOwn(names, wanted)) continue;
    const before = entryOf(assigned, wanted);
    names[wanted] = before ?? freeName(wanted, taken, maxNameLength);
  }
  return names;
}
