import type { MouseEvent } from 'react';

const controls = 'a, button, input, select, textarea, label, summary';

/**
 * Follows the link of a row (`.row-link`) when something is clicked that lies above it, so that it has a tooltip or its text
 * can be selected.
 */
export function followRow(event: MouseEvent): void {
  const target = event.target as Element;
  if (target.closest(controls) || getSelection()?.isCollapsed === false) return;
  const link = target.closest('tr, [role="row"]')?.querySelector('.row-link');
  const { ctrlKey, metaKey, shiftKey } = event;
  link?.dispatchEvent(
    new globalThis.MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }),
  );
}
