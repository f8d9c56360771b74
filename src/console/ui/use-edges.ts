import { type RefObject, useEffect } from 'react';

/** Notes in `data-more` on which sides of a scrolled element there is more, which its style shows. */
export function useEdges(scrolled: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = scrolled.current!;
    const note = () => {
      const { scrollLeft, clientWidth, scrollWidth } = element;
      const sides = [scrollLeft > 1 && 'start', scrollLeft + clientWidth < scrollWidth - 1 && 'end'];
      element.dataset.more = sides.filter(Boolean).join(' ');
    };
    const observer = new ResizeObserver(note);
    observer.observe(element);
    element.addEventListener('scroll', note, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', note);
    };
  }, [scrolled]);
}
