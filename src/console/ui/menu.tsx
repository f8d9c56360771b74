import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Button } from './controls.tsx';

/** A button that shows a panel. Escape and a click elsewhere close it. */
export function Menu({ label, button, isLeft, children }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const trigger = useRef<HTMLButtonElement>(null);
  const id = useId();
  useEffect(() => {
    if (!isOpen) return;
    const away = ({ target }: Event) => {
      if (!root.current?.contains(target as Node)) setOpen(false);
    };
    const key = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return;
      setOpen(false);
      trigger.current?.focus();
    };
    addEventListener('pointerdown', away);
    addEventListener('focusin', away);
    addEventListener('keydown', key);
    return () => {
      removeEventListener('pointerdown', away);
      removeEventListener('focusin', away);
      removeEventListener('keydown', key);
    };
  }, [isOpen]);
  return (
    <div className="menu" ref={root}>
      <Button
        look="quiet small"
        ref={trigger}
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {button}
      </Button>
      <div id={id} className={isLeft ? 'menu-panel left' : 'menu-panel'} hidden={!isOpen}>
        {isOpen && (typeof children === 'function' ? children(() => setOpen(false)) : children)}
      </div>
    </div>
  );
}
interface MenuProps {
  label: string;
  button: ReactNode;
  /** Whether the panel begins where the button does, instead of ending there. */
  isLeft?: boolean;
  /** The content, which exists while the panel is shown. */
  children: ReactNode | ((close: () => void) => ReactNode);
}
