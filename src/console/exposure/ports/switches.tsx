import { useState } from 'react';
import { lazyDialog } from '../../act/lazy-dialog.tsx';
import { strings } from '../../strings.ts';
import type { SwitchDialogProps, SwitchPort } from './switch-dialog.tsx';

const SwitchDialog = lazyDialog<SwitchDialogProps>(
  async () => (await import('./switch-dialog.tsx')).SwitchDialog,
);

/** Whether a port is open, and what opens and closes it. Each asks before it does anything. */
export function PortSwitches({ port }: { port: SwitchPort }) {
  // As it was when it was opened: the dialog of a port that has just been opened stays the one that opened it.
  const [asked, setAsked] = useState<{ of: 'outer' | 'inner'; port: SwitchPort }>();
  const switches = [
    {
      of: 'outer',
      label: strings.act.outside,
      isOpen: port.isOuter,
      may: port.isOuter ? port.mayCloseOuter : port.mayOpenOuter,
    },
    {
      of: 'inner',
      label: strings.act.inside,
      isOpen: port.isInner,
      may: port.isInner ? port.mayCloseInner : port.mayOpenInner,
    },
  ] as const;
  return (
    <>
      {switches.map(({ of, label, isOpen, may }) => (
        <button
          key={of}
          type="button"
          role="switch"
          className="switch"
          aria-checked={isOpen}
          disabled={!may}
          onClick={() => setAsked({ of, port })}
        >
          {label}
        </button>
      ))}
      {asked && <SwitchDialog {...asked} close={() => setAsked(undefined)} />}
    </>
  );
}
