import { useState } from 'react';

/** Which rows of a tree are open. */
interface Opened {
  /** The choice for all of them at once. */
  all?: boolean;
  /** The choices for single rows, by their ids. */
  rows: { readonly [id: string]: boolean };
}

/** Which rows of a tree are open: kept while the tab is, so that a reload and the way back find them as they were. */
export function useOpen(name: string, isOpenAtFirst: (id: string) => boolean) {
  const key = `tree/${name}`;
  const [chosen, setChosen] = useState<{ readonly [key: string]: Opened }>({});
  const opened = chosen[key] ?? stored(key);
  const isOpen = (id: string) => opened.rows[id] ?? opened.all ?? isOpenAtFirst(id);
  const choose = (next: Opened) => {
    sessionStorage.setItem(key, JSON.stringify(next));
    setChosen((before) => ({ ...before, [key]: next }));
  };
  return {
    isOpen,
    toggle: (id: string) => choose({ ...opened, rows: { ...opened.rows, [id]: !isOpen(id) } }),
    openAll: (isOpen: boolean) => choose({ all: isOpen, rows: {} }),
  };
}

const stored = (key: string): Opened => JSON.parse(sessionStorage.getItem(key) ?? '{"rows":{}}');
