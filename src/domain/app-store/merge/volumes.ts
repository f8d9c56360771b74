import type { Row } from '../../../db/tables.ts';
import type { VolumeEntry } from '../../plan/component-model.ts';
import type { Entries } from '../../plan/parts.ts';
import { follows, type MergeInput } from './input.ts';

/** The volumes of a component that a new version adds and changes. */
export function mergeVolumes({ base, next, current }: MergeInput): Entries<VolumeEntry> {
  const before = pairs(next.volumes, base?.volumes ?? []);
  const present = pairs(base?.volumes ?? [], current.volumes);
  const follow = next.volumes.flatMap((volume) => {
    const was = before.get(volume);
    const is = was && present.get(was);
    if (!is) return [];
    const data: Partial<Row<'Volume'>> = {};
    if (follows('path', was, volume, is)) data.path = volume.path;
    if (follows('fileContent', was, volume, is)) data.fileContent = volume.fileContent;
    return [{ is, data }];
  });
  // Volumes are never deleted, so a volume cannot move to the path of one that is kept.
  const paths = () => {
    const moving = new Map(follow.map(({ is, data }) => [is, data.path]));
    return new Map(current.volumes.map((is) => [is, moving.get(is) ?? is.path]));
  };
  for (let isSettled = false; !isSettled; ) {
    const all = [...paths()];
    const blocked = follow.filter(({ is, data }) =>
      all.some(([other, path]) => other !== is && path === data.path && other.path === path),
    );
    for (const { data } of blocked) delete data.path;
    isSettled = blocked.length === 0;
  }
  const entries = new Map<string, VolumeEntry>(follow.map(({ is, data }) => [is.name, data]));
  const names = new Set(current.volumes.map(({ name }) => name));
  const mounted = new Set(paths().values());
  for (const volume of next.volumes) {
    if (before.has(volume) || names.has(volume.name) || mounted.has(volume.path)) continue;
    entries.set(volume.name, volume);
  }
  return entries;
}

type Mount = { name: string; path: string };

/** Matches volumes by name, and the remaining ones by path. */
function pairs<A extends Mount, B extends Mount>(some: readonly A[], others: readonly B[]): Map<A, B> {
  const matches = new Map<A, B>();
  const left = new Set(others);
  for (const field of ['name', 'path'] as const) {
    for (const one of some) {
      const other = matches.has(one) ? undefined : [...left].find((each) => each[field] === one[field]);
      if (!other) continue;
      matches.set(one, other);
      left.delete(other);
    }
  }
  return matches;
}
