import { maxDependencies } from '../component/model.ts';
import type { ComponentEntry } from './component-model.ts';
import { compareList, type Entries, requireOwn, withDeploy } from './parts.ts';
import type { Scene } from './scene.ts';
import { componentsNamed, componentWithId } from './standing-reads.ts';
import type { ComponentWork } from './work.ts';

/** The id of the component that a name means, among those that are not deleted. */
const stayingId = ({ standing, removed }: Scene, name: string): string | undefined =>
  standing ? componentsNamed(standing, name).find(({ row }) => !removed.has(row.id))?.row.id : undefined;

/** Plans what a component depends on, when all components are known. */
export function planDependencies(
  scene: Scene,
  work: ComponentWork,
  wanted: ComponentEntry['dependsOn'],
  works: ReadonlyMap<string, ComponentWork>,
): void {
  if (wanted === undefined) return;
  const { issues, standing, outside } = scene;
  const path = ['components', work.name, 'dependsOn'];
  const names = new Map<string, string>();
  for (const [index, entry] of (wanted ?? []).entries()) {
    const at = [...path, index];
    const name = typeof entry === 'string' ? entry : `${entry.application}/${entry.component}`;
    const id =
      typeof entry === 'string' ? (works.get(entry)?.row.id ?? stayingId(scene, entry)) : outside.get(name);
    if (id === undefined) {
      const where =
        typeof entry === 'string' ? 'in the document or the application' : 'in the team and region';
      issues.push({ path: at, message: `There is no component ${name} ${where}` });
    } else if (id === work.row.id) issues.push({ path: at, message: 'A component cannot depend on itself' });
    else names.set(id, name);
  }
  const nameOf = (id: string) =>
    names.get(id) ??
    (standing ? (componentWithId(standing, id)?.row.name ?? standing.outside.get(id)?.component) : undefined);
  compareDependencies(scene, work, new Map([...names.keys()].map((id) => [id, true])), nameOf);
}

/** Plans that a component depends on others, by their ids. One whose name is undefined stays as it is. */
export function compareDependencies(
  scene: Scene,
  work: ComponentWork,
  entries: Entries<true>,
  nameOf: (id: string) => string | undefined,
): void {
  const { list, issues } = scene;
  const { dependencies } = work;
  const standing = work.current?.dependencies ?? [];
  const from = list.changes.length;
  compareList<(typeof standing)[number], true>(scene, work, entries, {
    kind: 'DEPENDENCY',
    standing,
    keyOf: ({ dependencyId }) => dependencyId,
    nameOf,
    about: withDeploy(work),
    create(dependencyId) {
      dependencies.add.push({ componentId: work.row.id, dependencyId });
      return { fields: [] };
    },
    update: () => ({ fields: [] }),
    remove(pair) {
      dependencies.remove.push(pair);
      return { fields: [] };
    },
    adopt: (pair) => work.adopt.dependencies.push(pair),
  });
  const count = standing.length + dependencies.add.length - dependencies.remove.length;
  if (count > maxDependencies) {
    const path = ['components', work.name, 'dependsOn'];
    issues.push({ path, message: `The component would depend on more than ${maxDependencies} components` });
  }
  if (list.changes.length === from) return;
  work.needsDeploy = true;
  requireOwn(scene, work, true);
}
