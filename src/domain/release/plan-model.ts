import { planComponent } from '../plan/component.ts';
import { compareDependencies } from '../plan/dependencies.ts';
import type { Scene } from '../plan/scene.ts';
import type { StandingComponent } from '../plan/standing-reads.ts';
import type { ComponentWork } from '../plan/work.ts';
import type { Restored } from './entry-model.ts';

/**
 * Plans what brings a component back. `names` has the components that exist and are visible: other dependencies are neither
 * added nor removed.
 */
export function planRestored(
  scene: Scene,
  current: StandingComponent,
  { desired, dependencies }: Restored,
  names: ReadonlyMap<string, string>,
): ComponentWork {
  const { row } = current;
  const work = planComponent(scene, row, current, desired);
  if (!dependencies) return work;
  const wanted = dependencies.filter((id) => names.has(id)).map((id) => [id, true] as const);
  compareDependencies(scene, work, new Map(wanted), (id) => names.get(id));
  return work;
}
