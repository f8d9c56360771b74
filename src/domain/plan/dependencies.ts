import { maxDependencies, wasDeployed } from '../component/model.ts';
import { object } from './change-list.ts';
import type { ComponentEntry } from './component-model.ts';
import { isAdopted, requireOwn } from './parts.ts';
import { ownershipOf, type Scene } from './scene.ts';
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
  for (const [index, given] of (wanted ?? []).entries()) {
    const at = [...path, index];
    const name = typeof given === 'string' ? given : `${given.application}/${given.component}`;
    const id =
      typeof given === 'string' ? (works.get(given)?.row.id ?? stayingId(scene, given)) : outside.get(name);
    if (id === undefined) {
      const where =
        typeof given === 'string' ? 'in the document or the application' : 'in the team and region';
      issues.push({ path: at, message: `There is no component ${name} ${where}` });
    } else if (id === work.row.id) issues.push({ path: at, message: 'A component cannot depend on itself' });
    else names.set(id, name);
  }
  const nameOf = (id: string) =>
    standing ? (componentWithId(standing, id)?.row.name ?? standing.outside.get(id)?.component) : undefined;
  compareDependencies(scene, work, names, nameOf);
}

/**
 * Plans that a component depends on others, which have the names. `nameOf` returns the name of one that it depends on, undefined
 * if that stays as it is.
 */
export function compareDependencies(
  scene: Scene,
  work: ComponentWork,
  names: ReadonlyMap<string, string>,
  nameOf: (id: string) => string | undefined,
): void {
  const { list, issues } = scene;
  const standingPairs = new Map(work.current?.dependencies.map((pair) => [pair.dependencyId, pair]));
  const about = { takesEffect: work.current && !wasDeployed(work.row) ? 'AT_ONCE' : 'NEXT_DEPLOY' } as const;
  const from = list.changes.length;
  for (const [dependencyId, name] of names) {
    const pair = standingPairs.get(dependencyId);
    if (!pair) {
      work.dependencies.add.push({ componentId: work.row.id, dependencyId });
      list.add('CREATE', object('DEPENDENCY', work.name, name), [], about);
    } else if (isAdopted(scene, work, pair)) {
      work.adopt.dependencies.push(pair);
      list.adopted.push(object('DEPENDENCY', work.name, name));
    }
  }
  for (const [dependencyId, pair] of standingPairs) {
    if (names.has(dependencyId) || ownershipOf(scene, pair) !== 'own') continue;
    const name = nameOf(dependencyId);
    if (name === undefined) continue;
    const named = object('DEPENDENCY', work.name, name);
    if (scene.prune === 'owned') {
      work.dependencies.remove.push(pair);
      list.add('DELETE', named, [], about);
    } else list.leftOver.push(named);
  }
  const count = standingPairs.size + work.dependencies.add.length - work.dependencies.remove.length;
  if (count > maxDependencies) {
    const path = ['components', work.name, 'dependsOn'];
    issues.push({ path, message: `The component would depend on more than ${maxDependencies} components` });
  }
  if (list.changes.length === from) return;
  work.needsDeploy = true;
  requireOwn(scene, work, true);
}
