import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';
import type { EventAction } from '../../db/write/events.ts';
import { setManifestOfDependencies } from '../component/dependencies/many-rows.ts';
import { changeAllDependencies } from '../component/dependencies/rows.ts';
import { bytesOf } from '../component/size/model.ts';
import { requireConfigurationFits } from '../component/size/rows.ts';
import { changeAllSnapshotSchedules, type ScheduleChange } from '../component/snapshots/schedule/rows.ts';
import { setManifestOfVariables } from '../component/variables/many-rows.ts';
import { bytesAdded, changeAllVariables } from '../component/variables/rows.ts';
import { setManifestOfVolumes } from '../component/volumes/many-rows.ts';
import { changeAllVolumes, writeAllVolumes } from '../component/volumes/rows.ts';
import { ruleOf } from '../gateway-rule/address-reads.ts';
import {
  changePorts,
  insertRules,
  type PortAt,
  publishAll,
  removeAllDefaultRules,
  setManifestOfRules,
  setRules,
} from '../gateway-rule/many-rows.ts';
import { insertPorts, removePorts, setManifestOfPorts } from '../port/rows.ts';
import { changeAllSchedules, setManifestOfSchedules } from '../run/schedules/rows.ts';
import type { ComponentWork, RouteWork } from './work.ts';

type Component = Row<'Component'>;

export interface ApplyWrite extends Write<Context> {
  team: Row<'Team'>;
  region: Row<'Region'>;
}

/** In what the callers of the engine differ. */
export interface WritePolicy {
  /** The actions of changed components and ports in the record. */
  actions: { component: EventAction<'Component'>; port: EventAction<'Port'> };
  /** Whether variables, volumes and dependencies have events beside those of their component. */
  recordsParts: boolean;
  /** Whether a new open port without a default route gets a default rule. */
  hasDefaultRules: boolean;
  /** Whether the application is made by the change, so that no other components have the data that these share. */
  isOfNew?: true;
}

export const policyOfManifests: WritePolicy = {
  actions: { component: 'component.update', port: 'port.update' },
  recordsParts: true,
  hasDefaultRules: true,
};

export interface ComponentsWrite extends ApplyWrite {
  application: Row<'Application'>;
  /** Null if the changes are not those of a manifest. */
  manifestId: number | null;
  policy: WritePolicy;
}

/** The manifest that an object belongs to after the change. */
export const ownerOf = ({ manifestId }: ComponentsWrite, before: { manifestId: number | null }) =>
  before.manifestId ?? manifestId;

/** The changes of parts, which belong to the manifest from then on. */
const owned = <N, B extends { manifestId: number | null }, D>(
  write: ComponentsWrite,
  { create, update, remove }: { create: N[]; update: { before: B; data: D }[]; remove: B[] },
) => ({
  create: create.map((each) => ({ ...each, manifestId: write.manifestId })),
  update: update.map(({ before, data }) => ({
    before,
    data: { ...data, manifestId: ownerOf(write, before) },
  })),
  remove,
});

type Adopted = Omit<ComponentWork['adopt'], 'isComponent'>;

/** A component with its row after the change. */
export type Changed = ComponentWork & { component: Component };

export async function removePortsOf(
  write: ComponentsWrite,
  components: readonly ComponentWork[],
): Promise<void> {
  const removed = components.flatMap(({ ports }) => ports.remove);
  await removeAllDefaultRules(write, removed);
  await removePorts(write, { teamId: write.team.id, applicationId: write.application.id }, removed);
}

/** The changes of snapshot schedules, with the volumes that they are of. */
function snapshotSchedulesOf(
  write: ComponentsWrite,
  components: readonly Changed[],
  created: readonly Row<'Volume'>[],
): ScheduleChange[] {
  const keyOfVolume = (componentId: string, name: string) => `${componentId} ${name}`;
  const added = new Map(created.map((volume) => [keyOfVolume(volume.componentId, volume.name), volume]));
  return components.flatMap(({ component, current, snapshotSchedules }) => {
    const standing = new Map(current?.volumes.map((volume) => [volume.name, volume]));
    return [...snapshotSchedules].map(([name, change]) => {
      const volume = standing.get(name);
      const data = volume ? { manifestId: ownerOf(write, volume) } : null;
      return { ...change, component, volume: volume ?? added.get(keyOfVolume(component.id, name))!, data };
    });
  });
}

/** Whether the files and variables of a component have more bytes than before. */
function grows({ variables, volumes: { create, update, remove } }: ComponentWork): boolean {
  const before = [...update.map((each) => each.before), ...remove];
  const after = [...create, ...update.map((each) => ({ ...each.before, ...each.data }))];
  return bytesAdded(variables) + bytesOf(after) - bytesOf(before) > 0;
}

/** Returns the new volumes, if they are recorded. */
async function writeVolumes(
  write: ComponentsWrite,
  components: readonly Changed[],
): Promise<Row<'Volume'>[]> {
  const volumes = components.map(({ component, volumes: changes }) => ({
    component,
    changes: owned(write, changes),
  }));
  if (write.policy.recordsParts) return changeAllVolumes(write, volumes);
  await writeAllVolumes(
    write,
    volumes.map(({ changes }) => changes),
  );
  return [];
}

export async function writeParts(all: ComponentsWrite, components: readonly Changed[]): Promise<void> {
  const { manifestId, policy } = all;
  const write: ComponentsWrite = policy.recordsParts ? all : { ...all, recordEvent: () => false };
  await changeAllVariables(
    write,
    components.map(({ component, variables: { create, update, remove } }) => ({
      component,
      changes: {
        create: create.map((each) => ({ ...each, manifestId })),
        update: update.map(({ before, after }) => ({
          before,
          after: { ...after, manifestId: ownerOf(write, before) },
        })),
        remove,
      },
    })),
  );
  const created = await writeVolumes(write, components);
  await requireConfigurationFits(
    write,
    components.filter(grows).map(({ component }) => component),
  );
  await changeAllSnapshotSchedules(write, snapshotSchedulesOf(write, components, created));
  await changeAllSchedules(
    write,
    components.map(({ component, schedules }) => ({ component, changes: owned(write, schedules) })),
  );
  await changeAllDependencies(
    write,
    components.map(({ component, dependencies: { add, remove } }) => ({
      component,
      changes: { add: add.map((each) => ({ ...each, manifestId })), remove },
    })),
  );
  if (manifestId === null) return;
  const adopted = <K extends keyof Adopted>(part: K) =>
    components.flatMap(({ adopt }) => adopt[part] as Adopted[K][number][]);
  await setManifestOfVariables(write, adopted('variables'), manifestId);
  await setManifestOfVolumes(write, adopted('volumes'), manifestId);
  await setManifestOfSchedules(write, adopted('schedules'), manifestId);
  await setManifestOfDependencies(write, adopted('dependencies'), manifestId);
  await setManifestOfPorts(write, adopted('ports'), manifestId);
}

const keyOf = (componentId: string, number: number) => `${componentId} ${number}`;

/** Writes ports with their default rules. Returns the new ones, by component and number. */
export async function writePorts(
  write: ComponentsWrite,
  components: readonly Changed[],
  { http }: RouteWork,
): Promise<Map<string, PortAt>> {
  const { manifestId, policy } = write;
  const owner = { teamId: write.team.id, applicationId: write.application.id };
  await changePorts(
    write,
    owner,
    policy.actions.port,
    components.flatMap(({ component, ports }) =>
      ports.update.map(({ port, data, isOuter, isWritten }) => ({
        port,
        component,
        isOuter,
        data: { ...data, ...(isWritten && { manifestId: ownerOf(write, port) }) },
      })),
    ),
  );
  const createdAt = new Date();
  const created = await insertPorts(
    write,
    components.map(({ component }) => component),
    components.flatMap(({ component, ports }) =>
      ports.create.map((port) => ({ componentId: component.id, ...port, manifestId, createdAt })),
    ),
  );
  // A route of the document on the default domain takes the place of the default rule.
  const withRoutes = new Set(
    http.create.flatMap(({ work, port, data }) => (data.isDefault ? keyOf(work.row.id, port.number) : [])),
  );
  const open = created.filter(
    ({ port }) =>
      policy.hasDefaultRules && port.isOuter && !withRoutes.has(keyOf(port.componentId, port.number)),
  );
  await publishAll(write, open);
  return new Map(created.map((at) => [keyOf(at.port.componentId, at.port.number), at]));
}

export async function writeRoutes(
  write: ComponentsWrite,
  components: readonly Changed[],
  { http, tcp }: RouteWork,
  created: ReadonlyMap<string, PortAt>,
): Promise<void> {
  const { manifestId } = write;
  const rows = new Map(components.map(({ component }) => [component.id, component]));
  const at = ({ work, port }: (typeof http.create)[number] | (typeof tcp.create)[number]): PortAt =>
    created.get(keyOf(work.row.id, port.number)) ?? { port: port.row!, component: rows.get(work.row.id)! };
  const newRule = <D>(target: Parameters<typeof at>[0], data: D) => ({
    ...ruleOf(at(target)),
    ...data,
    manifestId,
  });
  await insertRules(
    write,
    http.create.map((each) => newRule(each, each.data as Row<'HttpRule'>)),
    tcp.create.map((each) => newRule(each, each.data as Row<'TcpRule'>)),
  );
  const owned = <R extends { manifestId: number | null }, D>({ rule, data }: { rule: R; data: D }) => ({
    rule,
    data: { ...data, manifestId: ownerOf(write, rule) },
  });
  await setRules(write, { http: http.update.map(owned), tcp: tcp.update.map(owned) });
  if (manifestId === null) return;
  const idOf = ({ id }: { id: number }) => id;
  await setManifestOfRules(write, { http: http.adopt.map(idOf), tcp: tcp.adopt.map(idOf) }, manifestId);
}
