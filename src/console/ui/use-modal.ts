import { type RefObject, useLayoutEffect } from 'react';

/**
 * Opens a dialog over the page, and returns the focus when it closes: to what opened it, or, if that is gone, to the button
 * of the menu that it was in, or to the heading of the page.
 */
export function useModal(dialog: RefObject<HTMLDialogElement | null>): void {
  // Closed before it is removed, because a dialog that is not in the page does not give the focus back.
  useLayoutEffect(() => {
    const opened = dialog.current;
    const opener = document.activeElement as HTMLElement | null;
    const menuButton = opener?.closest('.menu')?.querySelector('button');
    if (!opened?.open) opened?.showModal();
    return () => {
      opened?.close();
      focusFirst(opener, menuButton, document.querySelector<HTMLElement>('#main h1'));
    };
  }, [dialog]);
  // A control that is disabled or removed loses the focus, and the keyboard with it.
  useLayoutEffect(() => {
    const opened = dialog.current;
    if (!opened?.open || opened.contains(document.activeElement)) return;
    const heading = opened.querySelector('h2');
    if (!heading) return;
    heading.tabIndex = -1;
    heading.focus();
  });
}

/** Focuses the first element that can have the focus. */
function focusFirst(...elements: (HTMLElement | null | undefined)[]): void {
  for (const element of elements) {
    if (!element || element === document.body) continue;
    if (document.activeElement !== element) element.focus();
    if (document.activeElement === element) return;
  }
}
