import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';

/**
 * Moves the focus to the heading of the page after each navigation, so that the keyboard goes on there and screen readers
 * say where one is. Until the person does something else, a heading that replaces it, such as when the page has been
 * loaded, takes the focus over.
 */
export function useHeadingFocus(): void {
  const [location] = useLocation();
  const last = useRef(location);
  const restored = useRef<string>(undefined);
  useEffect(() => {
    const note = () => {
      restored.current = window.location.pathname;
    };
    // Before the router sees it.
    addEventListener('popstate', note, { capture: true });
    return () => removeEventListener('popstate', note, { capture: true });
  }, []);
  useEffect(() => {
    if (last.current === location) return;
    last.current = location;
    // Back and forward lead to where the page was scrolled to, which browsers see to.
    if (restored.current !== location) scrollTo(0, 0);
    restored.current = undefined;
    return followHeading();
  }, [location]);
}

function followHeading(): () => void {
  const main = document.querySelector<HTMLElement>('#main')!;
  const free = new Set<Element | null>([null, document.body, document.activeElement]);
  const look = () => {
    const heading = main.querySelector('h1');
    if (!heading || heading === document.activeElement || !free.has(document.activeElement)) return;
    heading.focus({ preventScroll: true });
    free.add(heading);
  };
  const observer = new MutationObserver(look);
  observer.observe(main, { childList: true, subtree: true });
  look();
  const end = () => {
    observer.disconnect();
    removeEventListener('keydown', end, { capture: true });
    removeEventListener('pointerdown', end, { capture: true });
  };
  addEventListener('keydown', end, { capture: true });
  addEventListener('pointerdown', end, { capture: true });
  return end;
}
