import { useEffect } from 'react';
import { useClient } from 'urql';
import { LookQuery } from '../documents/live.ts';
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

/** Reads the page again whenever something happens in these teams or the cluster of this region reports something new. */
export function useRegionLive(id: string | undefined, teamIds: readonly string[]): void {
  useFollowed(teamIds);
  useLooks(id);
}

/** Polls a region, whose cluster reports its usage to nobody, and reads the page again when it has changed. */
function useLooks(id: string | undefined): void {
  const client = useClient();
  const live = useLive();
  useEffect(() => {
    if (id === undefined) return;
    const looks = {};
    let [isLooking, hasEnded] = [false, false];
    let seen: string | undefined;
    const look = async () => {
      if (isLooking || document.hidden) return;
      isLooking = true;
      const { data, error } = await client
        .query(LookQuery, { id }, { requestPolicy: 'network-only' })
        .toPromise();
      isLooking = false;
      if (hasEnded) return;
      live.note(looks, error?.networkError ? 'lost' : 'open');
      if (!data) return;
      const found = JSON.stringify(data.node);
      if (seen !== undefined && seen !== found) live.refresh();
      seen = found;
    };
    const timer = setInterval(look, lookMs);
    return () => {
      hasEnded = true;
      clearInterval(timer);
      live.note(looks, undefined);
    };
  }, [client, id, live]);
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
