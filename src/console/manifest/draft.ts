import { useState } from 'react';

export interface Draft {
  /** Undefined if nothing was typed. */
  text: string | undefined;
  /** Whether it was typed before the page was loaded. */
  isRestored: boolean;
  set(text: string | undefined): void;
  /** Removes it from the storage, but not from the page. */
  forget(): void;
}

/** The draft of a manifest. The tab has it until it is applied or discarded, or the user signs out. */
export function useDraft(name: string): Draft {
  const key = `manifest/${name}`;
  const [stored] = useState(() => sessionStorage.getItem(key) ?? undefined);
  const [text, setText] = useState(stored);
  const forget = () => sessionStorage.removeItem(key);
  return {
    text,
    isRestored: text !== undefined && text === stored,
    set(next) {
      setText(next);
      if (next === undefined) return forget();
      try {
        sessionStorage.setItem(key, next);
      } catch {
        // The storage is full. An older draft would come back instead of this one.
        forget();
      }
    },
    forget,
  };
}
