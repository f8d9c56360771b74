import { useEffect, useRef } from 'react';
import { strings } from '../strings.ts';
import type { Rest } from './tree-lines.ts';

/** Loads the next page when it comes into sight; a button for those who do not scroll. */
export function LoadMore({ count, load }: Rest) {
  const button = useRef<HTMLButtonElement>(null);
  const latest = useRef(load);
  useEffect(() => {
    latest.current = load;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a list that has grown is observed anew
  useEffect(() => {
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) latest.current();
      },
      { rootMargin: '300px' },
    );
    observer.observe(button.current!);
    return () => observer.disconnect();
  }, [count]);
  return (
    <button ref={button} type="button" className="button quiet small" onClick={load}>
      {strings.common.more(count)}
    </button>
  );
}

interface List {
  totalCount: number;
  pageInfo: { endCursor: string | null; hasNextPage: boolean };
  nodes: readonly unknown[];
}

/** The rest of a list, and how its next page is loaded. */
export function restOf(
  { totalCount, pageInfo, nodes }: List,
  load: (after: string) => void,
): Rest | undefined {
  const { hasNextPage, endCursor } = pageInfo;
  if (!hasNextPage || endCursor === null) return undefined;
  return { count: Math.max(1, totalCount - nodes.length), load: () => load(endCursor) };
}
