import type { ComponentType } from 'react';
import type { Item } from './action-bar.tsx';
import type { DialogProps } from './dialog-frame.tsx';
import { lazyDialog } from './lazy-dialog.tsx';

/** The buttons of a dialog whose code is loaded when it is first opened. What is typed into it is stored by the key. */
export function lazyItem<Props extends DialogProps>(
  label: string,
  load: () => Promise<ComponentType<Props>>,
) {
  const Loaded = lazyDialog(load) as ComponentType<Props>;
  return (key: string, props: Omit<Props, keyof DialogProps>): Item => ({
    key,
    label,
    open: (close) => <Loaded {...({ ...props, draft: key, close } as Props)} />,
  });
}
