import { wasDeployed } from '../component/state-model.ts';
import { object } from './change-list.ts';
import type { FieldChange, ManifestChange, ObjectKind } from './model.ts';
import { ownershipOf, type Scene, templateOf } from './scene.ts';
import type { ComponentWork } from './work.ts';

export type Path = (string | number)[];

/** The items of a keyed list as they are to be. Null removes an item. Items that are left out go if they can be pruned. */
export type Entries<E> = ReadonlyMap<string, E | null>;

/** The entries of a list in a document. Null is an empty list. */
export const entriesOf = <E>(
  collection: { [key: string]: E | null } | null | undefined,
): Entries<E> | undefined =>
  collection === undefined ? undefined : new Map(Object.entries(collection ?? {}));

/** A component of an installed template must not change, unless the document only refers to it. */
export function requireOwn(scene: Scene, { row, isWritten }: ComponentWork, isChanged: boolean): void {
  if (scene.keepsOwners) return;
  const template = templateOf(scene, row);
  if (template === null || !isChanged || !isWritten) return;
  scene.conflicts.push({
    path: ['components', row.name],
    message: `The component ${row.name} belongs to the installed template ${template}. Remove it from the document, or describe the component as installed.`,
    isKey: true,
  });
}

type Owned = { manifestId: number | null };

/** Whether an object that is written as it is belongs to the manifest from then on. */
export const isAdopted = (scene: Scene, work: ComponentWork, row: Owned) =>
  !scene.keepsOwners && ownershipOf(scene, row) === 'none' && work.row.groupId === null;

export const actionFor = (scene: Scene, work: ComponentWork, row: Owned) =>
  isAdopted(scene, work, row) ? 'ADOPT' : 'UPDATE';

type About = Partial<Pick<ManifestChange, 'isDestructive' | 'takesEffect'>>;

/** When a change of what a component is deployed with takes effect. */
export const withDeploy = ({ current, row }: ComponentWork): About => ({
  takesEffect: current && !wasDeployed(row) ? 'AT_ONCE' : 'NEXT_DEPLOY',
});

interface Listed {
  fields: FieldChange[];
  isDestructive?: boolean;
}

/** How the items of a list are compared, and where their changes are collected. */
interface KeyedList<R, E> {
  kind: ObjectKind;
  standing: readonly R[];
  keyOf(row: R): string;
  /** By default the key. Items without a name stay as they are. */
  nameOf?(key: string): string | undefined;
  about?: About;
  /** Undefined if it cannot be created. */
  create(key: string, entry: E): Listed | undefined;
  /** No fields if nothing changes. */
  update(row: R, entry: E): Listed;
  remove(row: R): Listed;
  adopt(row: R): void;
  /** Plans what belongs to an item that is written. */
  planWithin?(key: string, entry: E): void;
}

/** Compares a keyed list of a component with its entries. */
export function compareList<R extends Owned, E>(
  scene: Scene,
  work: ComponentWork,
  entries: Entries<E> | undefined,
  list: KeyedList<R, E>,
): void {
  if (!entries) return;
  const { nameOf = (key) => key, about } = list;
  const standing = new Map(list.standing.map((row) => [list.keyOf(row), row]));
  const named = (key: string) => object(list.kind, work.name, nameOf(key) ?? key);
  const remove = (key: string, row: R) => {
    const { fields, ...own } = list.remove(row);
    scene.list.add('DELETE', named(key), fields, { ...about, ...own });
  };
  for (const [key, entry] of entries) {
    const row = standing.get(key);
    if (entry === null) {
      if (row) remove(key, row);
      continue;
    }
    if (!row) {
      const listed = list.create(key, entry);
      if (!listed) continue;
      scene.list.add('CREATE', named(key), listed.fields, about);
    } else {
      const { fields, ...own } = list.update(row, entry);
      if (fields.length > 0) {
        scene.list.add(actionFor(scene, work, row), named(key), fields, { ...about, ...own });
      } else if (isAdopted(scene, work, row)) {
        list.adopt(row);
        scene.list.adopted.push(named(key));
      }
    }
    list.planWithin?.(key, entry);
  }
  for (const [key, row] of standing) {
    if (entries.has(key) || ownershipOf(scene, row) !== 'own' || nameOf(key) === undefined) continue;
    if (scene.prune === 'owned') remove(key, row);
    else scene.list.leftOver.push(named(key));
  }
}
