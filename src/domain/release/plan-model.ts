import type { Row } from '../../db/tables.ts';
import { wasDeployed } from '../component/model.ts';
import { NamesInUse } from '../component/names/model.ts';
import type { PlainVariable } from '../component/variables/reads.ts';
import { ChangeList, fieldChange, object } from '../plan/change-list.ts';
import { planComponent } from '../plan/component.ts';
import type { Scene } from '../plan/scene.ts';
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
export const restoreScene = (given: RestoreScene): Scene => ({
  ...given,
  document: { application: given.standing.application.name },
  userId: null,
  prune: 'none',
  taken: { aliases: new Map(), names: new NamesInUse(), ownerOf: () => '' },
  certificates: new Map(),
  outside: new Map(),
  endpoints: [],
  newAlias: () => '',
  hasRuns: true,
  snapshots: { missing: null },
  isRestore: true,
  removed: new Set(),
  list: new ChangeList(),
  issues: [],
  conflicts: [],
  failures: [],
});

/**
 * Plans what brings a component back. `names` has the components that exist and are visible: other dependencies are neither
 * added nor removed.
 */
export function planRestored(
  scene: Scene,
  current: StandingComponent,
  { entry, removedVolumes, dependencies }: Restored,
  names: ReadonlyMap<string, string>,
): ComponentWork {
  const { list } = scene;
  const { name } = current.row;
  const removed = new Set(removedVolumes);
  const rest = { ...current, volumes: current.volumes.filter((volume) => !removed.has(volume)) };
  const work = planComponent(scene, name, entry, rest, { isWritten: true, opens: new Set() });
  const takesEffect = wasDeployed(current.row) ? 'NEXT_DEPLOY' : 'AT_ONCE';
  const from = list.changes.length;
  for (const volume of removedVolumes) {
    work.volumes.remove.push(volume);
    const fields = [fieldChange('path', volume.path, null)];
    list.add('DELETE', object('VOLUME', name, volume.name), fields, { takesEffect });
  }
  const wanted = new Set(dependencies);
  const standing = new Set(current.dependencies.map(({ dependencyId }) => dependencyId));
  for (const dependencyId of wanted) {
    const shown = names.get(dependencyId);
    if (shown === undefined || standing.has(dependencyId)) continue;
    work.dependencies.add.push({ componentId: current.row.id, dependencyId });
    list.add('CREATE', object('DEPENDENCY', name, shown), [], { takesEffect });
  }
  for (const pair of dependencies ? current.dependencies : []) {
    const shown = names.get(pair.dependencyId);
    if (shown === undefined || wanted.has(pair.dependencyId)) continue;
    work.dependencies.remove.push(pair);
    list.add('DELETE', object('DEPENDENCY', name, shown), [], { takesEffect });
  }
  work.needsDeploy ||= list.changes.length > from;
  return work;
}
