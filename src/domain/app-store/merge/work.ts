import type { Row } from '../../../db/tables.ts';
import { isDeployed } from '../../component/model.ts';
import { type ComponentWork, workOn } from '../../plan/work.ts';
import type { ComponentMerge } from './component.ts';

/**
 * The work on a component that is kept, except for its dependencies, which can be new components. It sets all columns, so that
 * the components of a template share statements.
 */
export function workOfMerge(
  { row, current, set, serviceName, variables, volumes, ports }: ComponentMerge,
  columns: readonly (keyof Row<'Component'>)[],
): ComponentWork {
  const work = { ...workOn(row.name, row, current), variables, volumes, ports, isTouched: true };
  const { portsAfter } = work;
  for (const port of current.ports) portsAfter.set(port.number, { ...port, row: port });
  for (const { port, data } of ports.update) portsAfter.set(port.number, { ...port, ...data, row: port });
  for (const { number } of ports.remove) portsAfter.delete(number);
  for (const port of ports.create) portsAfter.set(port.number, { ...port, row: null });
  // The last port takes the name away.
  const hasLostPorts = ports.remove.length > 0 && portsAfter.size === 0;
  work.serviceNameAfter = hasLostPorts ? null : (serviceName ?? row.serviceName);
  // A component that comes back is deployed, too.
  const updateVersion = row.updateVersion + (isDeployed({ ...row, ...set }) ? 1 : 0);
  const after = { ...row, ...set, serviceName: work.serviceNameAfter, updateVersion };
  const fields = [...columns, 'deployState', 'serviceName', 'updateVersion'] as const;
  work.data = Object.fromEntries(fields.map((field) => [field, after[field]]));
  return work;
}

/** The internal domain names of a component and its ports after the change. */
export const serviceNamesAfter = ({ serviceNameAfter, portsAfter }: ComponentWork): string[] =>
  [serviceNameAfter, ...[...portsAfter.values()].map(({ additionalName }) => additionalName)].flatMap(
    (name) => name ?? [],
  );
