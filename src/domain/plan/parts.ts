import { ownershipOf, type Scene, templateOf } from './scene.ts';
import type { ComponentWork } from './work.ts';

export type Path = (string | number)[];

export const entriesOf = <T>(collection: { [name: string]: T } | null) => Object.entries(collection ?? {});

/** A component of an installed template must not change, unless the document only refers to it. */
export function requireOwn(scene: Scene, { row, isWritten }: ComponentWork, isChanged: boolean): void {
  if (scene.isRestore) return;
  const template = templateOf(scene, row);
  if (template === null || !isChanged || !isWritten) return;
  scene.conflicts.push({
    path: ['components', row.name],
    message: `The component ${row.name} belongs to the installed template ${template}. Remove it from the document, or write it as it is.`,
    isKey: true,
  });
}

/** Whether an object that is written as it is belongs to the manifest from then on. */
export const isAdopted = (scene: Scene, work: ComponentWork, row: { manifestId: number | null }) =>
  !scene.isRestore && ownershipOf(scene, row) === 'none' && work.row.groupId === null;

export const actionFor = (scene: Scene, work: ComponentWork, row: { manifestId: number | null }) =>
  isAdopted(scene, work, row) ? 'ADOPT' : 'UPDATE';
