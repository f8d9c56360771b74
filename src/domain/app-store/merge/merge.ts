import type { Row } from '../../../db/tables.ts';
import type { AppTemplate } from '../../../drivers/app-store/template.ts';
import { entryOf, hasEntry } from '../../../kernel/entries.ts';
import { freeName, type TakenNames } from '../../component/names/model.ts';
import { type DeployState, initialDeployState, isClosed, isDeployed } from '../../component/state-model.ts';
import { planComponent } from '../../plan/component.ts';
import type { ManifestChange } from '../../plan/model.ts';
import type { Scene } from '../../plan/scene.ts';
import type { StandingComponent } from '../../plan/standing-reads.ts';
import type { ComponentWork } from '../../plan/work.ts';
import { nameAdditional, wantedServiceName } from '../inner-name-reads.ts';
import { mergeColumns } from './component.ts';
import {
  type AdditionalNames,
  type BaseTemplate,
  type Installed,
  type MergeInput,
  newPorts,
} from './input.ts';
import { mergePorts } from './ports.ts';
import { mergeVariables } from './variables.ts';
import { mergeVolumes } from './volumes.ts';

export interface MergeOptions {
  /** The internal domain names that components of the team in the region have, except for those of the group. */
  taken: TakenNames;
  /** Whether columns that users have changed keep their values. In an upgrade they follow the new version. */
  keepsColumns?: boolean;
  /** The internal domain names that components had in the new version before. They are preferred. */
  earlierNames?: { [key: string]: string } | undefined;
}

/** A component that both versions have, with what the new one changes. */
export interface KeptComponent {
  input: MergeInput;
  additionalNames: AdditionalNames;
  work: ComponentWork;
  changes: ManifestChange[];
}

/**
 * A three-way merge: fields that the new version changes get its values, other fields
 * keep their current values, and so the changes of users. Yields after each component.
 */
export function* mergeTemplate(
  scene: Scene,
  base: BaseTemplate,
  next: AppTemplate,
  { components, plainVariables }: Installed,
  { taken, keepsColumns = false, earlierNames = {} }: MergeOptions,
): Generator<void, KeptComponent[]> {
  const baseOf = new Map(base.components.map((each) => [each.key, each]));
  const installedOf = new Map(components.map((each) => [each.row.key, each]));
  const anyDeployed = components.some(({ row }) => isDeployed(row));
  const inputs = next.components.flatMap((component): MergeInput[] => {
    const { key } = component;
    const current = installedOf.get(key);
    if (!current) return [];
    const old = baseOf.get(key);
    const input = {
      base: old,
      next: component,
      current,
      variables: plainVariables.get(current.row.id) ?? [],
    };
    const assignedName = entryOf(base.serviceNames, key) ?? (old ? wantedServiceName(old) : null);
    const assignedNames = entryOf(base.additionalNames, key);
    return [{ ...input, assignedName, assignedNames, earlierName: entryOf(earlierNames, key) }];
  });
  const { moves, used } = movesOf(inputs, components, taken);
  const kept: KeptComponent[] = [];
  for (const input of inputs) {
    const { row } = input.current;
    const move = moves.get(row.id);
    const additionalNames = nameAdditional(input.next, used, input.assignedNames);
    const serviceName = move === row.serviceName ? undefined : move;
    const state = stateOf(base, row, anyDeployed);
    const work = planComponent(scene, row, input.current, {
      columns: { ...mergeColumns(input, keepsColumns), ...(state && { deployState: state }) },
      ...mergeVariables(input, serviceName, additionalNames),
      ports: mergePorts(input, additionalNames),
      volumes: mergeVolumes(input),
      serviceName,
    });
    kept.push({ input, additionalNames, work, changes: scene.list.changes.splice(0) });
    yield;
  }
  return kept;
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
  components: readonly StandingComponent[],
  used: TakenNames,
): { moves: Map<string, string>; used: TakenNames } {
  const wishes = new Map(
    inputs.flatMap((input) => {
      const wish = wishOf(input);
      return wish === null ? [] : [[input.current.row.id, wish]];
    }),
  );
  const staying = components.flatMap(({ row }) => (wishes.has(row.id) ? [] : (row.serviceName ?? [])));
  const additional = components.flatMap(({ ports }) => ports.flatMap((port) => port.additionalName ?? []));
  for (const name of [...staying, ...additional]) used.add(name);
  const moves = new Map([...wishes].map(([id, wish]) => [id, freeName(wish, used, 63)]));
  return { moves, used };
}

/** The internal domain name that the new version requests, unless a user has chosen the current one. */
function wishOf(input: MergeInput): string | null {
  const { base, next, current, assignedName, earlierName } = input;
  const [old, fresh] = [base && wantedServiceName(base), wantedServiceName(next)];
  const { serviceName, alias } = current.row;
  // The first port sets the name.
  if (serviceName === null) return newPorts(input).length > 0 ? (earlierName ?? fresh ?? alias) : null;
  if (!old || !fresh || old === fresh) return null;
  return serviceName === assignedName ? (earlierName ?? fresh) : null;
}
