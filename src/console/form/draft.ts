import { useEffect, useRef, useState } from 'react';
import type { Field, Values } from './values.ts';

const prefix = 'draft/';
const ownerKey = 'draft-owner';

/** The key of what was typed into a dialog of this page. */
const keyOf = (name: string) => `${prefix}${location.pathname}#${name}`;

/** Whether something was typed into the dialog before the page was loaded, which was neither sent nor discarded. */
export const hasDraft = (name: string) => sessionStorage.getItem(keyOf(name)) !== null;

/** Removes what another person has typed in this tab. */
export function claimDrafts(owner: string): void {
  if (sessionStorage.getItem(ownerKey) === owner) return;
  for (const key of draftKeys()) sessionStorage.removeItem(key);
  sessionStorage.setItem(ownerKey, owner);
}

/** The stored items that stay when a session ends, until it is known who signs in next. */
export const draftKeys = () =>
  Object.keys(sessionStorage).filter((key) => key.startsWith(prefix) || key.startsWith('manifest/'));

/** The values typed into a form. The tab has them until they are sent or discarded; secrets are not stored. */
export function useDraft(name: string | undefined) {
  const [key] = useState(() => (name === undefined ? undefined : keyOf(name)));
  const [values, setValues] = useState<Values>(() => {
    const stored = key && sessionStorage.getItem(key);
    return stored ? JSON.parse(stored) : {};
  });
  const [isRestored] = useState(() => Object.keys(values).length > 0);
  const isForgotten = useRef(false);
  const secrets = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => {
    if (key === undefined || isForgotten.current || Object.keys(values).length === 0) return;
    const kept = Object.fromEntries(Object.entries(values).filter(([name]) => !secrets.current.has(name)));
    try {
      sessionStorage.setItem(key, JSON.stringify(kept));
    } catch {
      // The storage is full. The page still has what was typed.
    }
  }, [key, values]);
  return {
    values,
    isRestored,
    setValues,
    /** Notes the fields that have secrets. */
    note(fields: readonly Field[]) {
      secrets.current = new Set(fields.filter(hasSecret).map(({ name }) => name));
    },
    forget() {
      isForgotten.current = true;
      if (key !== undefined) sessionStorage.removeItem(key);
    },
  };
}

const hasSecret = ({ kind, fields }: Field): boolean =>
  kind === 'password' || kind === 'file' || Boolean(fields?.some(hasSecret));
