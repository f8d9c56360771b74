import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';

/** A window over the page that keeps the focus until it is closed. */
export function Dialog({ title, isWide, close, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Closed before it is removed, because a dialog that is not in the page does not give the focus back.
  useLayoutEffect(() => {
    const opened = dialog.current;
    if (!opened?.open) opened?.showModal();
    return () => opened?.close();
  }, []);
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
