import { useSyncExternalStore } from 'react';
import { draftKeys } from '../form/draft.ts';
import { announceLeft, announceToken, askTabs, joinTabs } from './tabs.ts';

// The key of GraphiQL as well: whoever is signed in here is signed in there, in the same tab.
const key = 'graphql-access-token';
const listeners = new Set<() => void>();
/** Why the last session ended, for the sign-in page. */
let notice: 'rejected' | 'ended' | undefined;

/** The token of a link that was followed while another one, or a session, was in use. */
let offered: string | undefined;

/** How requests are authenticated: with a token, or with the cookie of a session, which browsers add by themselves. */
export type Credential = { token: string } | 'session';

/** Null if there is none, undefined until that is known. */
let credential: Credential | null | undefined;

/** Where people sign in without a token. Undefined if nowhere, or until that is known. */
let provider: { name: string } | undefined;

joinTabs({
  token: currentToken,
  left(other, isRejected) {
    if (credential && nameOf(credential) === other) void leaveHere(isRejected);
  },
});

/**
 * Begins with the token of this tab, the session of the browser, the token of a link (`#token=…`) or that of another tab. Called
 * again when a link was followed in the page.
 */
export async function beginSession(): Promise<void> {
  const addressToken = takeTokenFromAddress();
  const token = sessionStorage.getItem(key);
  if (credential === undefined) {
    if (token !== null) use(token);
    else {
      const [state, other] = await Promise.all([
        readState(),
        addressToken === undefined ? askTabs() : undefined,
      ]);
      if (state === null && other !== undefined) use(other);
      else credential = state;
    }
  }
  if (addressToken !== undefined) offer(addressToken);
  tell();
}

function use(token: string): void {
  sessionStorage.setItem(key, token);
  credential = { token };
  announceToken(true);
}

const nameOf = (used: Credential) => (used === 'session' ? used : used.token);

/** A name that all tabs with a credential share, and that does not reveal it. */
export async function groupOf(used: Credential): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(nameOf(used)));
  return `trellis-${Array.from(new Uint8Array(bytes, 0, 12), (byte) => byte.toString(16)).join('')}`;
}

/** It is removed from the address, so that it is not in the history. */
function takeTokenFromAddress(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')?.trim();
  if (!token) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}

/** It replaces another one only if the person agrees: whoever made the link could see what is entered under their token. */
function offer(token: string): void {
  if (!credential) signIn(token);
  else if (credential === 'session' || credential.token !== token) offered = token;
}

/** Asks the server whether the browser has a session, and where one can sign in. */
async function readState(): Promise<Credential | null> {
  const response = await fetch('/auth/session').catch(() => undefined);
  const state = response?.ok ? await response.json() : undefined;
  provider = state?.provider ?? undefined;
  return state?.isSignedIn ? 'session' : null;
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

/** The token of this tab. Null in a session. */
export function currentToken(): string | null {
  return credential && credential !== 'session' ? credential.token : null;
}
export const signOutNotice = () => notice;

/** The headers of requests, without which they are authenticated by the cookie. */
export const authorization = (): Record<string, string> => {
  const token = currentToken();
  return token === null ? {} : { Authorization: `Bearer ${token}` };
};

/** A token as it is typed or pasted, or undefined if it cannot be one. */
export function tokenIn(text: string): string | undefined {
  const token = text.trim().replace(/^bearer\s+/i, '');
  return /^[\x21-\x7e]+$/.test(token) ? token : undefined;
}

export function signIn(token: string): void {
  notice = undefined;
  use(token);
  tell();
}

/** The page of the identity provider, which leads back to this page. */
export const signInPath = () => `/auth/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`;

/** Signs out. A session also ends at the server, and stays if that is not possible. */
export async function signOut(): Promise<void> {
  if (credential === 'session') {
    const response = await fetch('/auth/sign-out', { method: 'POST' }).catch(() => undefined);
    if (!response?.ok) return;
  }
  await leave(false);
}

/** The server has rejected the token, or the session has ended. */
export const rejected = () => leave(true);

/** Other tabs with the same credential are signed out as well. */
async function leave(isRejected: boolean): Promise<void> {
  if (!credential) return;
  announceLeft(nameOf(credential), isRejected);
  await leaveHere(isRejected);
}

/** Signs out this tab and clears its storage: open rows, for example, name objects of who was signed in. */
async function leaveHere(isRejected: boolean): Promise<void> {
  notice = isRejected ? (credential === 'session' ? 'ended' : 'rejected') : undefined;
  // Whoever is signed out against their will goes on where they were.
  const kept = isRejected ? draftKeys().map((key) => [key, sessionStorage.getItem(key)!]) : [];
  sessionStorage.clear();
  for (const [name, text] of kept) sessionStorage.setItem(name!, text!);
  credential = null;
  announceToken(false);
  tell();
  const state = await readState();
  // Whoever signs out does not want the session of the browser that their token was used instead of.
  if (isRejected) credential ??= state;
  tell();
}

function tell(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useCredential = () => useSyncExternalStore(subscribe, () => credential);
export const useProvider = () => useSyncExternalStore(subscribe, () => provider);
export const useOffer = () => useSyncExternalStore(subscribe, () => offered !== undefined);
