import type { TemplateComponent } from '../../../drivers/app-store/template.ts';
import type { PlainVariable } from '../../component/variables/reads.ts';
import type { StandingComponent } from '../../plan/standing-reads.ts';
import type { ChangeKind } from '../model.ts';

/** The current state of a component, with everything that an upgrade can change. */
export interface Installed extends Pick<StandingComponent, 'row' | 'ports' | 'volumes'> {
  standing: StandingComponent;
  variables: PlainVariable[];
  /** The keys of its dependencies in the same group. */
  dependencies: string[];
  /** The ports with custom rules. */
  portsWithCustomRules: ReadonlySet<number>;
}

/** A component that is kept: its installed template, its new template and its current state. */
export interface MergeInput {
  base: TemplateComponent | undefined;
  next: TemplateComponent;
  current: Installed;
  /** The assigned internal domain name. */
  given: string | null;
  /** The assigned additional names of its ports, by the requested ones. */
  givenNames: AdditionalNames | undefined;
  /** The internal domain name that it had in the new version before. */
  earlierName: string | undefined;
}

/** The requested and assigned additional names of the ports of a component. */
export type AdditionalNames = { readonly [wanted: string]: string };

/** Adds a change to an upgrade. */
export type Say = (kind: ChangeKind, name: string, before: unknown, after: unknown) => void;

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
