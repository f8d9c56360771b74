import { useEffect } from 'react';
import { useClient } from 'urql';
import { ApplicationChanged, JobChanged, LookQuery, TeamEvents } from '../documents/live.ts';
import { useLive } from './client.ts';
import { lookMs } from './live.ts';

/** Browsers open six connections to a host, which all windows and their requests share: so a window follows one team. */
const maxStreams = 1;
/** So many objects can be read by their ids in one request. */
const maxNodes = 100;

/** Reads the page again whenever something happens in these teams. */
export function useTeamsLive(ids: readonly string[]): void {
  const client = useClient();
  const { refresh } = useLive();
  const followed = ids.slice(0, maxStreams).join();
  useEffect(() => {
    if (!followed) return;
    const streams = followed
      .split(',')
      .map((id) => client.subscription(TeamEvents, { team: { id } }).subscribe(refresh));
    return () => {
      for (const { unsubscribe } of streams) unsubscribe();
    };
  }, [client, followed, refresh]);
  useLooks(ids.slice(maxStreams));
}

/** Reads the page again whenever something happens in these teams or the cluster of this region reports something new. */
export function useRegionLive(id: string | undefined, teamIds: readonly string[]): void {
  useLooks(id === undefined ? [] : [id, ...teamIds].slice(0, maxNodes));
}

/** Polls what no stream reports, and reads the page again when it has changed. */
function useLooks(ids: readonly string[]): void {
  const client = useClient();
  const live = useLive();
  const key = ids.join();
  useEffect(() => {
    if (!key) return;
    const looks = {};
    let [isLooking, hasEnded] = [false, false];
    let seen: string | undefined;
    const look = async () => {
      if (isLooking || document.hidden) return;
      isLooking = true;
      const { data, error } = await client
        .query(LookQuery, { ids: key.split(',') }, { requestPolicy: 'network-only' })
        .toPromise();
      isLooking = false;
      if (hasEnded) return;
      live.note(looks, error?.networkError ? 'lost' : 'open');
      if (!data) return;
      const found = JSON.stringify(data.nodes);
      if (seen !== undefined && seen !== found) live.refresh();
      seen = found;
    };
    const timer = setInterval(look, lookMs);
    return () => {
      hasEnded = true;
      clearInterval(timer);
      live.note(looks, undefined);
    };
  }, [client, key, live]);
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
  const client = useClient();
  const { refresh } = useLive();
  useEffect(() => {
    if (id === undefined) return;
    const { unsubscribe } = client
      .subscription(ApplicationChanged, { application: { id } })
      .subscribe(refresh);
    return unsubscribe;
  }, [client, id, refresh]);
}

/** Reads the page again whenever the job or the work on one of its components changes. */
export function useJobLive(id: string | undefined): void {
  const client = useClient();
  const { refresh } = useLive();
  useEffect(() => {
    if (id === undefined) return;
    const { unsubscribe } = client.subscription(JobChanged, { job: { id } }).subscribe(refresh);
    return unsubscribe;
  }, [client, id, refresh]);
}
