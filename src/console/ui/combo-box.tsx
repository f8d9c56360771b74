import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useFloating } from './use-floating.ts';

export interface ComboOption {
  value: string;
  text: string;
  note?: string;
}

interface Props {
  /** For the field, such as its id and whether it is required. */
  common: { id: string; name: string; required: boolean | undefined };
  /** The text in the field. */
  text: string;
  options: readonly ComboOption[];
  placeholder?: string;
  /** Why the text is no valid choice. */
  invalid?: string;
  type(text: string): void;
  choose(option: ComboOption): void;
}

/** A text field with suggestions, which the arrow keys and Enter choose. */
export function ComboBox({ common, text, options, placeholder, invalid = '', type, choose }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [marked, setMarked] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const isShown = isOpen && options.length > 0;
  const current = Math.min(marked, options.length - 1);
  useFloating(input, list, isShown);
  useEffect(() => {
    input.current?.setCustomValidity(invalid);
  }, [invalid]);
  const take = (option: ComboOption) => {
    setOpen(false);
    choose(option);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && options.length > 0) {
      event.preventDefault();
      setOpen(true);
      if (isShown) setMarked((current + step + options.length) % options.length);
    } else if (event.key === 'Enter' && isShown) {
      // The key would send the form.
      event.preventDefault();
      take(options[current]!);
    } else if (event.key === 'Escape' && isShown) {
      // The key would close the dialog.
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
    }
  };
  return (
    <div className="combo">
      <input
        {...common}
        ref={input}
        type="text"
        role="combobox"
        className="input"
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-activedescendant={isShown ? `${id}-${current}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        value={text}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onChange={({ target }) => {
          setOpen(true);
          setMarked(0);
          type(target.value);
        }}
        onKeyDown={onKeyDown}
      />
      <div
        ref={list}
        id={`${id}-list`}
        role="listbox"
        aria-label={placeholder ?? common.name}
        className="combo-list"
        hidden={!isShown}
      >
        {isShown &&
          options.map((option, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
            <div
              key={option.value}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === current}
              // The field keeps the focus, so that the list stays until the click.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => take(option)}
              onKeyDown={undefined}
            >
              <span className="truncate">{option.text}</span>
              {option.note && <span className="truncate soft small">{option.note}</span>}
            </div>
          ))}
      </div>
    </div>
  );
}

const typingMs = 150;

/** The text to search for, once nothing was typed for a moment. */
export function useSought(text: string): string {
  const [sought, setSought] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSought(text.trim()), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  return sought;
}
