import { useState } from 'react';

/** Which rows of a tree are open: kept while the tab is, so that the way back finds them as they were. */
export function useOpen(name: string, isOpenAtFirst: (id: string) => boolean) {
  const key = `open/${name}`;
  // What differs from how it is at first.
  const [changed, setChanged] = useState<ReadonlySet<string>>(
    () => new Set(JSON.parse(sessionStorage.getItem(key) ?? '[]') as string[]),
  );
  return {
    isOpen: (id: string) => isOpenAtFirst(id) !== changed.has(id),
    toggle(id: string) {
      const next = new Set(changed);
      if (!next.delete(id)) next.add(id);
      sessionStorage.setItem(key, JSON.stringify([...next]));
      setChanged(next);
    },
  };
}
