import { type ReactNode, useEffect, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { hasDraft } from '../form/draft.ts';
import { strings } from '../strings.ts';
import { dialogParam } from '../ui/linked.ts';
import { Menu } from '../ui/menu.tsx';
import { setParam } from '../ui/set-param.ts';
import { useHosted } from './dialog-host.tsx';

/** One thing that can be done: a button, and what it opens. */
export interface Item {
  key: string;
  label: string;
  isDestructive?: boolean;
  /** The dialog that it opens. */
  open(close: () => void): ReactNode;
}

/** Buttons for the first actions, and a menu for the others. Nothing if the caller may do nothing. */
export function ActionBar({ items, shown = 2, isSmall }: ActionBarProps) {
  // A draft from before the page was reloaded is opened again.
  const [opened, setOpened] = useState<Item | undefined>(() => items.find(({ key }) => hasDraft(key)));
  // An address can name the dialog that it leads to. Opened once: a reload of the page does not open it again.
  const [params, setParams] = useSearchParams();
  const wanted = params.get(dialogParam);
  const linked = wanted === null ? undefined : items.find(({ key }) => key.split(' ')[0] === wanted);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each address
  useEffect(() => {
    if (!linked) return;
    setOpened(linked);
    setParam(setParams)(dialogParam, '');
  }, [linked?.key]);
  // Another page that has the same actions, of another object, begins without a dialog.
  const [path] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another page is shown
  useEffect(() => () => setOpened(undefined), [path]);
  // As it is now; one that is not possible any more stays until it is closed.
  const current = opened && (items.find(({ key }) => key === opened.key) ?? opened);
  useHosted(current?.open, () => setOpened(undefined));
  const size = isSmall ? ' small' : '';
  const first = items.slice(0, shown);
  const rest = items.slice(shown);
  return (
    <>
      {first.map((item) => (
        <button
          key={item.key}
          type="button"
          aria-haspopup="dialog"
          className={item.isDestructive ? `button danger${size}` : `button${size}`}
          onClick={() => setOpened(item)}
        >
          {item.label}
        </button>
      ))}
      {rest.length > 0 && (
        <Menu label={strings.act.more} button={strings.act.more}>
          {rest.map((item) => (
            <button
              key={item.key}
              type="button"
              aria-haspopup="dialog"
              className={item.isDestructive ? 'danger' : undefined}
              onClick={() => setOpened(item)}
            >
              {item.label}
            </button>
          ))}
        </Menu>
      )}
    </>
  );
}
interface ActionBarProps {
  items: readonly Item[];
  /** How many have buttons. The others are in a menu. */
  shown?: number;
  /** Whether the buttons are those of a row or a section. */
  isSmall?: boolean;
}
