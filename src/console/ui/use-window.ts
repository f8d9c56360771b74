import { type RefObject, useLayoutEffect, useState, useSyncExternalStore } from 'react';

/** How many lines beyond the window are there already when it is scrolled, and after how many others are made. */
const [margin, step] = [16, 8];

/**
 * The first line of a list that is in the window or close to it, and the one behind the last, while the page is scrolled.
 * All lines have the same height.
 */
export function useWindow(
  list: RefObject<HTMLElement | null>,
  lines: readonly unknown[],
  height: number,
): [from: number, to: number] {
  const [range, setRange] = useState<readonly [number, number]>([0, 0]);
  const look = () => {
    const { top } = list.current!.getBoundingClientRect();
    const from = Math.floor((-top / height - margin) / step) * step;
    const to = Math.ceil(((innerHeight - top) / height + margin) / step) * step;
    setRange((before) => (before[0] === from && before[1] === to ? before : [from, to]));
  };
  // Content above the list can have changed with them. Not after each scroll, because it makes browsers lay out the page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it reads nothing else
  useLayoutEffect(look, [lines, height]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it reads nothing else
  useLayoutEffect(() => {
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [height]);
  const from = Math.max(0, Math.min(range[0], lines.length));
  return [from, Math.max(from, Math.min(range[1], lines.length))];
}

const narrow = matchMedia('(max-width: 720px)');
const subscribe = (listener: () => void) => {
  narrow.addEventListener('change', listener);
  return () => narrow.removeEventListener('change', listener);
};

/** Whether the window is as narrow as that of a phone. The styles have the same limit. */
export const useNarrow = () => useSyncExternalStore(subscribe, () => narrow.matches);
