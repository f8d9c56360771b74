import { repeatedVolume } from '../component/names/model.ts';
import type { ClaimingComponent } from '../component/names/reads.ts';
import type { Path } from './parts.ts';
import type { Scene } from './scene.ts';
import type { ComponentWork } from './work.ts';

/** The volumes that are new in the cluster, by components. */
export const claimingOf = (works: readonly ComponentWork[]): ClaimingComponent[] =>
  works.map(({ row, data, current, volumes: { create, update } }) => {
    const changed = update.filter(({ data: { type } }) => type !== undefined);
    return {
      component: { ...row, ...data },
      volumes: [
        ...create,
        ...changed.map(({ before, data: set }) => ({ ...before, ...set })),
        // The claims of each instance have other names than one for all of them.
        ...(current && data.extendMethod !== undefined ? current.volumes : []),
      ],
    };
  });

/** A volume that is written must not have the name of another in the cluster. */
export function requireDistinctVolumes({ conflicts }: Scene, work: ComponentWork, path: Path): void {
  const { name, current, volumes } = work;
  const gone = new Set(
    [...volumes.remove, ...volumes.update.map(({ before }) => before)].map(({ id }) => id),
  );
  const kept = (current?.volumes ?? []).filter(({ id }) => !gone.has(id));
  const updated = volumes.update.filter(({ data }) => data.type === undefined);
  const stay = [...kept, ...updated.map(({ before }) => before)];
  const written = [
    ...volumes.update.flatMap(({ before, data }) => (data.type === undefined ? [] : { ...before, ...data })),
    ...volumes.create,
  ];
  const all: { name: string; type: string }[] = [...stay, ...written];
  const same = repeatedVolume(all);
  if (!same || same.index < stay.length) return;
  const message = `The volume ${same.volume.name} of the component ${name} would have the same name in the cluster as ${same.other}.`;
  conflicts.push({ path: [...path, same.volume.name], message });
}
