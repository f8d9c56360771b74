import { useSyncExternalStore } from 'react';

/** Browsers keep it, because it is about the window and not about the person. */
const key = 'request-times';
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', listener);
  };
}

/** Whether the request of a page and what it took are shown. */
export const showsRequestTimes = () => localStorage.getItem(key) === 'shown';

export const useRequestTimes = () => useSyncExternalStore(subscribe, showsRequestTimes);

export function showRequestTimes(isShown: boolean): void {
  if (isShown) localStorage.setItem(key, 'shown');
  else localStorage.removeItem(key);
  for (const listener of listeners) listener();
}
