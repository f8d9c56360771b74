import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useQuery } from 'urql';
import { useLocation } from 'wouter';
import { SearchQuery } from '../documents/search.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/controls.tsx';
import { SearchIcon } from '../ui/icons.tsx';
import { useModal } from '../ui/use-modal.ts';
import { commandIn } from './commands.ts';
import { type Hit, hitsOf, restOf } from './hits.tsx';

const text = strings.search;
const typingMs = 120;
const minLetters = 2;

/** The button in the header and Ctrl K or ⌘K, which open the search. */
export function Search() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <Button look="small search-button" onClick={() => setOpen(true)}>
        <SearchIcon />
        <span className="label">{strings.header.search}</span>
        <span className="kbd">{/Mac/.test(navigator.platform) ? '⌘ K' : 'Ctrl K'}</span>
      </Button>
      {isOpen && <SearchDialog close={() => setOpen(false)} />}
    </>
  );
}

function SearchDialog({ close }: { close(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState('');
  const [sought, setSought] = useState('');
  const [chosen, setChosen] = useState(0);
  const [, navigate] = useLocation();
  const id = useId();
  const isLongEnough = sought.length >= minLetters;
  const command = commandIn(sought);
  const [{ data, fetching }] = useQuery({
    query: SearchQuery,
    variables: { text: sought, rest: command?.rest ?? '', isCommand: command !== undefined },
    pause: !isLongEnough,
  });
  const hits = data && isLongEnough ? hitsOf(data, sought, command?.command) : [];
  const rest = data && isLongEnough ? restOf(data).join(', ') : '';
  const current = Math.min(chosen, hits.length - 1);
  useModal(dialog);
  useEffect(() => {
    const timer = setTimeout(() => setSought(typed.trim()), typingMs);
    return () => clearTimeout(timer);
  }, [typed]);
  useEffect(() => {
    dialog.current?.querySelector(`[aria-selected="true"]`)?.scrollIntoView({ block: 'nearest' });
  });
  const open = (hit: Hit) => {
    close();
    navigate(hit.href);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && hits.length > 0) {
      event.preventDefault();
      setChosen((current + step + hits.length) % hits.length);
    }
    const hit = hits[current];
    // The results must be those of the typed text.
    if (event.key === 'Enter' && hit && sought === typed.trim() && !fetching) {
      // The key would press the button that gets the focus back.
      event.preventDefault();
      open(hit);
    }
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      ref={dialog}
      className="dialog search"
      aria-label={text.title}
      onClose={close}
      onClick={({ target }) => target === dialog.current && close()}
    >
      <div className="search-field">
        <SearchIcon />
        <input
          type="text"
          role="combobox"
          aria-label={text.placeholder}
          aria-expanded={hits.length > 0}
          aria-controls={id}
          aria-activedescendant={hits.length > 0 ? `${id}-${current}` : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          placeholder={text.placeholder}
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value);
            setChosen(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div className="search-hits" id={id} role="listbox" aria-label={text.title}>
        {hits.map((hit, index) => (
          <HitOption
            key={hit.id}
            id={`${id}-${index}`}
            hit={hit}
            isChosen={index === current}
            open={() => open(hit)}
          />
        ))}
      </div>
      <p className="search-note small soft" role="status">
        {!isLongEnough ? text.hint : hits.length === 0 && !fetching && data ? text.none : text.keys}
        {rest && ` ${text.narrow(rest)}`}
      </p>
    </dialog>
  );
}

function HitOption({ id, hit, isChosen, open }: { id: string; hit: Hit; isChosen: boolean; open(): void }) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys of its list
    // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
    <div id={id} role="option" aria-selected={isChosen} className="search-hit" onClick={open}>
      <span className="tree-icon">{hit.icon}</span>
      <span className="truncate">{hit.name}</span>
      <span className="truncate soft small">{hit.where}</span>
      <span className="spacer" />
      <span className="soft small">{hit.kind}</span>
    </div>
  );
}
