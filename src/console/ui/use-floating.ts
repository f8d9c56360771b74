import { type RefObject, useEffect, useLayoutEffect } from 'react';

const gap = 4;
const edge = 8;
const maxHeight = 210;

/** Places a list over the page, below its field or above it, so that nothing moves when the list opens or closes. */
export function useFloating(
  field: RefObject<HTMLElement | null>,
  list: RefObject<HTMLElement | null>,
  isShown: boolean,
): void {
  const place = () => {
    if (!isShown || !field.current || !list.current) return;
    const { left, top, bottom, width } = field.current.getBoundingClientRect();
    const { clientHeight } = document.documentElement;
    const [above, below] = [top - gap - edge, clientHeight - bottom - gap - edge];
    const isBelow = below >= maxHeight || below >= above;
    Object.assign(list.current.style, {
      left: `${left}px`,
      width: `${width}px`,
      top: isBelow ? `${bottom + gap}px` : 'auto',
      bottom: isBelow ? 'auto' : `${clientHeight - top + gap}px`,
      maxHeight: `${Math.max(0, Math.min(maxHeight, isBelow ? below : above))}px`,
    });
  };
  // After each rendering: what is above the field can have changed.
  useLayoutEffect(place);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the refs of the last rendering are those of this one
  useEffect(() => {
    if (!isShown) return;
    addEventListener('scroll', place, true);
    addEventListener('resize', place);
    return () => {
      removeEventListener('scroll', place, true);
      removeEventListener('resize', place);
    };
  }, [isShown]);
}
