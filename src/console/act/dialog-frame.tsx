import { type ReactNode, useId, useRef } from 'react';
import { useModal } from '../ui/use-modal.ts';

/** A window over the page that keeps the focus until it is closed. */
export function Dialog({ title, isWide, close, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useModal(dialog);
  return (
    <dialog
      ref={dialog}
      className={isWide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
    >
      <div>
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
interface DialogProps {
  title: string;
  isWide?: boolean;
  close(): void;
  children: ReactNode;
}
