import type { Row } from '../../../db/tables.ts';
import type { AppTemplate, TemplateComponent } from '../../../drivers/app-store/template.ts';
import { entryOf, hasEntry } from '../../../kernel/entries.ts';
import { isDeployedBy, type StartStopped } from '../../component/deploy/scope-model.ts';
import {
  type DeployState,
  initialDeployState,
  isClosed,
  isDeployed,
  nextDeployState,
} from '../../component/model.ts';
import { freeName, type TakenNames } from '../../component/names/model.ts';
import { nameAdditional, wantedServiceName } from '../inner-name-reads.ts';
import type { UpgradeChange } from '../model.ts';
import { type ComponentMerge, isEmpty, line, mergeComponent } from './component.ts';
import { type AdditionalNames, type Installed, type MergeInput, newPorts } from './input.ts';

export interface GroupMerge {
  add: TemplateComponent[];
  close: Installed[];
  merges: ComponentMerge[];
  changes: UpgradeChange[];
}

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

export interface MergeOptions extends StartStopped {
  /** The internal domain names that components of the team in the region have, except for those of the group. */
  taken: TakenNames;
  /** Whether columns that users have changed keep their values. In an upgrade they follow the new version. */
  keepsColumns?: boolean;
  /** The internal domain names that components had in the new version before. They are preferred. */
  earlierNames?: { [key: string]: string } | undefined;
}

/**
 * A three-way merge: fields that the new version changes get its values, other fields
 * keep their current values, and so the changes of users. Yields after each component.
 */
export function* mergeTemplate(
  base: BaseTemplate,
  next: AppTemplate,
  installed: readonly Installed[],
  { taken, keepsColumns = false, earlierNames = {}, startStopped }: MergeOptions,
): Generator<void, GroupMerge> {
  const baseOf = new Map(base.components.map((each) => [each.key, each]));
  const installedOf = new Map(installed.map((each) => [each.row.key, each]));
  const changes: UpgradeChange[] = [];
  // A component that a user deleted stays deleted.
  const add = next.components.filter(
    ({ key }) => !installedOf.has(key) && (!baseOf.has(key) || hasEntry(base.dropped, key)),
  );
  const present = new Set([...installedOf.keys(), ...add.map(({ key }) => key)]);
  const wanted = new Set(next.components.map(({ key }) => key));
  const close = installed.filter(
    ({ row }) => !wanted.has(row.key) && nextDeployState(row.deployState, 'drop') !== undefined,
  );
  for (const { name, image } of add) changes.push(line(name, 'ADD_COMPONENT', name, null, image));
  for (const { row, ports } of close) {
    changes.push(
      line(row.name, 'CLOSE_COMPONENT', row.name, row.deployState, nextDeployState(row.deployState, 'drop')),
    );
    for (const { number, isOuter } of ports) {
      if (isOuter) changes.push(line(row.name, 'SET_PORT', `${number} isOuter`, true, false));
    }
  }
  const names = new Map([
    ...installed.map(({ row }) => [row.key, row.name] as const),
    ...next.components.map(({ key, name }) => [key, name] as const),
  ]);
  const anyDeployed = installed.some(({ row }) => isDeployed(row));
  const inputs = next.components.flatMap((component): MergeInput[] => {
    const { key } = component;
    const current = installedOf.get(key);
    if (!current) return [];
    const before = baseOf.get(key);
    const given = entryOf(base.serviceNames, key) ?? (before ? wantedServiceName(before) : null);
    const givenNames = entryOf(base.additionalNames, key);
    return [
      { base: before, next: component, current, given, givenNames, earlierName: entryOf(earlierNames, key) },
    ];
  });
  const { moves, used } = movesOf(inputs, installed, taken);
  const merges: ComponentMerge[] = [];
  for (const input of inputs) {
    const serviceName = moves.get(input.current.row.id) ?? null;
    const additionalNames = nameAdditional(input.next, used, input.givenNames);
    const state = stateOf(base, input.current.row, anyDeployed);
    const merge = mergeComponent(input, {
      serviceName,
      additionalNames,
      state,
      names,
      present,
      changes,
      keepsColumns,
    });
    if (!isEmpty(merge)) startIfStopped(merge, { startStopped }, changes);
    merges.push(merge);
    yield;
  }
  return { add, close, merges, changes };
}

/** A stopped component with changes is only deployed if that was asked for. */
function startIfStopped({ row, set }: ComponentMerge, options: StartStopped, changes: UpgradeChange[]): void {
  if (set.deployState !== undefined || !isClosed(row) || !isDeployedBy('running', row, options)) return;
  set.deployState = nextDeployState(row.deployState, 'deploy')!;
  changes.push(line(row.name, 'SET', 'deployState', row.deployState, set.deployState));
}

/** The new state of a component that an earlier version had closed and that is added again. */
function stateOf({ dropped }: BaseTemplate, row: Row<'Component'>, anyDeployed: boolean): DeployState | null {
  // Templates stored by earlier versions of Trellis do not have it; users could not stop components then.
  const isDropped =
    dropped === undefined || (hasEntry(dropped, row.key) && !isClosed({ deployState: dropped[row.key]! }));
  return isClosed(row) && isDropped ? initialDeployState(anyDeployed) : null;
}

/**
 * The new internal domain names by component. Components that give up their names make them free for others. `used` are all
 * names in use after that.
 */
function movesOf(
  inputs: readonly MergeInput[],
  installed: readonly Installed[],
  used: TakenNames,
): { moves: Map<string, string>; used: TakenNames } {
  const wishes = new Map(
    inputs.flatMap((input) => {
      const wish = wishOf(input);
      return wish === null ? [] : [[input.current.row.id, wish]];
    }),
  );
  const staying = installed.flatMap(({ row }) => (wishes.has(row.id) ? [] : (row.serviceName ?? [])));
  const additional = installed.flatMap(({ ports }) => ports.flatMap((port) => port.additionalName ?? []));
  for (const name of [...staying, ...additional]) used.add(name);
  const moves = new Map([...wishes].map(([id, wish]) => [id, freeName(wish, used, 63)]));
  return { moves, used };
}

/** The internal domain name that the new version requests, unless a user has chosen the current one. */
function wishOf(input: MergeInput): string | null {
  const { base, next, current, given, earlierName } = input;
  const [old, fresh] = [base && wantedServiceName(base), wantedServiceName(next)];
  const { serviceName, alias } = current.row;
  // The first port sets the name.
  if (serviceName === null) return newPorts(input).length > 0 ? (earlierName ?? fresh ?? alias) : null;
  if (!old || !fresh || old === fresh) return null;
  return serviceName === given ? (earlierName ?? fresh) : null;
}
