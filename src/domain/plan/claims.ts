import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { repeatedVolume } from '../component/names/model.ts';
import { type ClaimingComponent, type NamesPlace, requireFreeClaims } from '../component/names/reads.ts';
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
        ...(current && isOtherMethod(row, data) ? current.volumes : []),
      ],
    };
  });

const isOtherMethod = ({ extendMethod }: Row<'Component'>, data: Partial<Row<'Component'>>) =>
  data.extendMethod !== undefined && data.extendMethod !== extendMethod;

/** The volume that is written and would have the name of another of its component in the cluster, and why it cannot. */
function repeatedIn({ name, current, volumes }: ComponentWork): { volume: string; why: string } | undefined {
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
  if (!same || same.index < stay.length) return undefined;
  const { name: volume } = same.volume;
  const why = `The volume ${volume} of the component ${name} would have the same name in the cluster as ${same.other}.`;
  return { volume, why };
}

/** A volume that is written must not have the name of another in the cluster. */
export function requireDistinctVolumes({ conflicts }: Scene, work: ComponentWork, path: Path): void {
  const same = repeatedIn(work);
  if (same) conflicts.push({ path: [...path, same.volume], message: same.why });
}

/** CONFLICT if a volume would have the name of another in the cluster, of its component or of another one. */
export async function requireFreeVolumes(
  write: Pick<Write, 'context' | 'tx'> & NamesPlace,
  works: readonly ComponentWork[],
): Promise<void> {
  for (const work of works) {
    const same = repeatedIn(work);
    if (same) throw new ConflictError(same.why);
  }
  await requireFreeClaims(write, write, claimingOf(works));
}
