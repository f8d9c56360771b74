import type { Row } from '../../db/tables.ts';
import { NamesInUse } from '../component/names/model.ts';
import type { PlainVariable } from '../component/variables/reads.ts';
import { planComponent } from '../plan/component.ts';
import { compareDependencies } from '../plan/dependencies.ts';
import { type Scene, sceneOf } from '../plan/scene.ts';
import type { Standing, StandingComponent } from '../plan/standing-reads.ts';
import type { ComponentWork } from '../plan/work.ts';
import type { Restored } from './entry-model.ts';

interface RestoreScene {
  team: Row<'Team'>;
  region: Row<'Region'>;
  standing: Standing;
  plainVariables: ReadonlyMap<string, PlainVariable[]>;
}

/** The scene of a restore. It creates no component, so that no names can be taken. */
export const restoreScene = (given: RestoreScene): Scene =>
  sceneOf({
    ...given,
    document: { application: given.standing.application.name },
    userId: null,
    prune: 'owned',
    taken: { aliases: new Map(), names: new NamesInUse(), ownerOf: () => '' },
    certificates: new Map(),
    outside: new Map(),
    endpoints: [],
    newAlias: () => '',
    hasRuns: true,
    snapshots: { missing: null },
    isRestore: true,
  });

/**
 * Plans what brings a component back. `names` has the components that exist and are visible: other dependencies are neither
 * added nor removed.
 */
export function planRestored(
  scene: Scene,
  current: StandingComponent,
  { entry, dependencies }: Restored,
  names: ReadonlyMap<string, string>,
): ComponentWork {
  const { name } = current.row;
  const work = planComponent(scene, name, entry, current, { isWritten: true, opens: new Set() });
  if (!dependencies) return work;
  const wanted = dependencies.flatMap((id): [string, string][] => {
    const shown = names.get(id);
    return shown === undefined ? [] : [[id, shown]];
  });
  compareDependencies(scene, work, new Map(wanted), (id) => names.get(id));
  return work;
}
