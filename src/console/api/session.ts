import { useSyncExternalStore } from 'react';

// The key of GraphiQL as well: whoever is signed in here is signed in there, in the same tab.
const key = 'graphql-access-token';
const listeners = new Set<() => void>();
/** Why the last session ended, for the sign-in page. */
let notice: 'rejected' | undefined;

/** The token of a link that was followed while another one was in use. */
let offered: string | undefined;

/**
 * Takes the token of a link (`#token=…`) from the address, so that it is not in the history. It begins a session, and
 * replaces one only if the person agrees: whoever made the link could see what is entered under their token.
 */
export function takeTokenFromAddress(): void {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')?.trim();
  if (!token) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  const current = currentToken();
  if (current === null) {
    signIn(token);
  } else {
    offered = token === current ? undefined : token;
    tell();
  }
}

/** Uses the token of the link that was followed, or stays with the one in use. */
export function answerOffer(isAccepted: boolean): void {
  const token = offered;
  offered = undefined;
  if (token && isAccepted) {
    sessionStorage.clear();
    signIn(token);
  } else tell();
}

export const currentToken = () => sessionStorage.getItem(key);
export const signOutNotice = () => notice;

/** A token as it is typed or pasted, or undefined if it cannot be one. */
export function tokenIn(text: string): string | undefined {
  const token = text.trim().replace(/^bearer\s+/i, '');
  return /^[\x21-\x7e]+$/.test(token) ? token : undefined;
}

export function signIn(token: string): void {
  notice = undefined;
  sessionStorage.setItem(key, token);
  tell();
}

/** Ends the session. What else the tab keeps, such as which rows are open, names objects of who was signed in. */
export function signOut(reason?: 'rejected'): void {
  notice = reason;
  sessionStorage.clear();
  tell();
}

function tell(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useToken = () => useSyncExternalStore(subscribe, currentToken);
export const useOffer = () => useSyncExternalStore(subscribe, () => offered !== undefined);
