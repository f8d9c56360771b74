import type { Row } from '../../../db/tables.ts';
import type { TemplateComponent } from '../../../drivers/app-store/template.ts';
import type { PlainVariable } from '../../component/variables.ts';
import type { ChangeKind } from '../model.ts';

/** A component as it stands, with all that an upgrade may touch. */
export interface Installed {
  row: Row<'Component'>;
  ports: Row<'Port'>[];
  variables: PlainVariable[];
  volumes: Row<'Volume'>[];
  /** Keys of the components of its group that it depends on. */
  dependencies: string[];
  /** Ports with rules that somebody made. */
  portsWithCustomRules: ReadonlySet<number>;
}

/** A component that stays: what was asked for, what is asked for now, and what there is. */
export interface Stay {
  from: TemplateComponent | undefined;
  to: TemplateComponent;
  now: Installed;
  /** The inner domain that it was given. */
  given: string | null;
  /** The additional names that its ports were given, by those that the template asked for. */
  givenNames: AdditionalNames | undefined;
}

/** Additional names of the ports of a component: those that its template asks for, and those that it has. */
export type AdditionalNames = { readonly [wanted: string]: string };

/** Adds a line to what an upgrade changes. */
export type Say = (kind: ChangeKind, name: string, before: unknown, after: unknown) => void;

/** Whether a field follows the new version: it changed there, and nobody has changed it here. */
export const follows = <K extends string>(
  field: K,
  was: { [field in K]: unknown },
  next: { [field in K]: unknown },
  is: { [field in K]: unknown },
): boolean => was[field] !== next[field] && is[field] === was[field];

/** Ports that the new version brings; those that somebody deleted stay deleted. */
export const newPorts = ({ from, to, now }: Stay) =>
  to.ports.filter(({ number }) =>
    [from?.ports ?? [], now.ports].every((ports) => ports.every((port) => port.number !== number)),
  );
