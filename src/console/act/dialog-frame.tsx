import { type ReactNode, useId, useRef } from 'react';
import { strings } from '../strings.ts';
import { Button } from '../ui/controls.tsx';
import { useModal } from '../ui/use-modal.ts';

/** The properties of a dialog. What is typed into it is stored by the draft. */
export type DialogProps<Props = unknown> = Props & { draft?: string; close(): void };

/** A window over the page that keeps the focus until it is closed. */
export function Dialog({ title, isWide, close, children }: FrameProps) {
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
interface FrameProps {
  title: string;
  isWide?: boolean;
  close(): void;
  children: ReactNode;
}

/** A window that can only be closed. */
export const MessageDialog = ({ children, ...props }: FrameProps) => (
  <Dialog {...props}>
    {children}
    <footer>
      <Button onClick={props.close}>{strings.common.close}</Button>
    </footer>
  </Dialog>
);

/** A window until what it needs is read. */
export const LoadingDialog = ({ title = strings.common.loading, close }: LoadingProps) => (
  <Dialog title={title} close={close}>
    <p role="status">{strings.common.loading}</p>
  </Dialog>
);
interface LoadingProps {
  title?: string;
  close(): void;
}
