import { useEffect } from 'react';
import { useLive } from './client.ts';
import { lookMs } from './live.ts';

/** Reads the page again whenever one of these objects changes. */
function useFollowed(ids: readonly string[]): void {
  const { follow } = useLive();
  const key = ids.join();
  useEffect(() => (key ? follow(key.split(',')) : undefined), [follow, key]);
}

/** Reads the page again whenever something happens in these teams. */
export function useTeamsLive(ids: readonly string[]): void {
  useFollowed(ids);
}

/** Reads the page again and again while jobs are carried out, whose progress the record does not have. */
export function useBusy(isBusy: boolean): void {
  const { refresh } = useLive();
  useEffect(() => {
    if (!isBusy) return;
    const timer = setInterval(refresh, lookMs);
    return () => clearInterval(timer);
  }, [isBusy, refresh]);
}

/** Reads the page again whenever the application, a part of it or one of its jobs changes. */
export function useApplicationLive(id: string | undefined): void {
  useFollowed(id === undefined ? [] : [id]);
}

/** Reads the page again whenever the job or the work on one of its components changes. */
export function useJobLive(id: string | undefined): void {
  useFollowed(id === undefined ? [] : [id]);
}
