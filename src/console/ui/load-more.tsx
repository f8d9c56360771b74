import { useEffect, useRef } from 'react';
import { strings } from '../strings.ts';

/** Loads the next page when it comes into sight; a button for those who do not scroll. */
export function LoadMore({ count, load }: { count: number; load(): void }) {
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
