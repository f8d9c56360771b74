import type { AppTemplate, TemplateComponent } from '../../../drivers/app-store/template.ts';
import { hasEntry } from '../../../kernel/entries.ts';
import type { PlainVariable } from '../../component/variables/reads.ts';
import type { Scene } from '../../plan/scene.ts';
import type { StandingComponent } from '../../plan/standing-reads.ts';

/** The base of the merge: what the installed template requested, and what was assigned. */
export interface BaseTemplate extends AppTemplate {
  /** The assigned internal domain names by component. A different current name was chosen by a user. */
  serviceNames?: { [key: string]: string };
  /** The assigned additional names of ports, by component. */
  additionalNames?: { [key: string]: AdditionalNames };
  /** The components that the version no longer has, with their states before they were closed. */
  dropped?: { [key: string]: string };
}

/** The components that the installed version has, without those that it dropped. */
export const presentIn = ({ components, dropped = {} }: BaseTemplate): TemplateComponent[] =>
  components.filter(({ key }) => !hasEntry(dropped, key));

/** The components of a group, with everything that an upgrade can change. */
export interface Installed extends Pick<Scene, 'plainVariables'> {
  components: readonly StandingComponent[];
}

/** A component that is kept: its installed template, its new template and its current state. */
export interface MergeInput {
  base: TemplateComponent | undefined;
  next: TemplateComponent;
  current: StandingComponent;
  variables: readonly PlainVariable[];
  /** The assigned internal domain name. */
  assignedName: string | null;
  /** The assigned additional names of its ports, by the requested ones. */
  assignedNames: AdditionalNames | undefined;
  /** The internal domain name that it had in the new version before. */
  earlierName: string | undefined;
}

/** The requested and assigned additional names of the ports of a component. */
export type AdditionalNames = { readonly [wanted: string]: string };

/** Whether a field gets its value in the new version: the template changed it, and no user did. */
export const follows = <K extends string>(
  field: K,
  was: { [field in K]: unknown },
  next: { [field in K]: unknown },
  is: { [field in K]: unknown },
): boolean => was[field] !== next[field] && is[field] === was[field];

/** The ports that the new version adds. Ports that a user deleted stay deleted. */
export const newPorts = ({ base, next, current }: MergeInput) =>
  next.ports.filter(({ number }) =>
    [base?.ports ?? [], current.ports].every((ports) => ports.every((port) => port.number !== number)),
  );
