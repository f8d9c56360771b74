import type { Transaction } from '../../../db/open.ts';
import type { Row } from '../../../db/tables.ts';
import type { TemplateComponent } from '../../../drivers/app-store/template.ts';
import type { AdditionalNames } from '../upgrade/stay.ts';
import { freeName } from './names.ts';

/** Inner domains are DNS labels. */
const maxNameLength = 63;

/** The inner domain that a component of a template asks for: the first that its ports name. */
export const wantedServiceName = (component: TemplateComponent) =>
  component.ports.find(({ serviceName }) => serviceName !== null)?.serviceName ?? null;

/** The inner domain that a port of a template asks for beside that of its component; null for none. */
export const additionalNameOf = (
  component: TemplateComponent,
  { serviceName }: Pick<TemplateComponent['ports'][number], 'serviceName'>,
) => (serviceName === wantedServiceName(component) ? null : serviceName);

/** A name for each additional one that a component asks for: the one that was given, else a free one. */
export function nameAdditional(
  component: TemplateComponent,
  taken: Set<string>,
  given: AdditionalNames = {},
): AdditionalNames {
  const names: { [wanted: string]: string } = {};
  for (const port of component.ports) {
    const wanted = additionalNameOf(component, port);
    if (wanted === null || wanted in names) continue;
    names[wanted] = given[wanted] ?? freeName(wanted, taken, maxNameLength);
  }
  return names;
}

interface Place {
  tx: Transaction;
  team: Row<'Team'>;
  region: Row<'Region'>;
}

/** The additional names of all ports of the team in the region, but those of the group. */
export async function additionalNamesIn({ tx, team, region }: Place, groupId?: number): Promise<string[]> {
  const place = { teamId: team.id, regionId: region.id };
  const component =
    groupId === undefined ? place : { ...place, OR: [{ groupId: null }, { groupId: { not: groupId } }] };
  const ports = await tx.port.findMany({
    where: { additionalName: { not: null }, component },
    select: { additionalName: true },
  });
  return ports.map(({ additionalName }) => additionalName!);
}

/** The inner domains of components, by the key of each. */
export const serviceNamesOf = (components: readonly Row<'Component'>[]): { [key: string]: string } =>
  Object.fromEntries(components.flatMap(({ key, serviceName }) => (serviceName ? [[key, serviceName]] : [])));
