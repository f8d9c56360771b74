import { useEffect } from 'react';
import { useClient } from 'urql';
import { ApplicationChanged, JobChanged, NewestEvents, TeamEvents } from '../documents/live.ts';
import { useLive } from './client.ts';

/** Browsers open six connections to a host, which all windows and their requests share: so a window follows one team. */
const maxStreams = 1;
/** How often what no stream tells is asked for. */
const pollMs = 700;

/** Reads the page again whenever something happens in these teams. */
export function useTeamsLive(ids: readonly string[]): void {
  const client = useClient();
  const { refresh } = useLive();
  const key = ids.join();
  useEffect(() => {
    const teams = key ? key.split(',') : [];
    const followed = teams
      .slice(0, maxStreams)
      .map((id) => client.subscription(TeamEvents, { team: { id } }).subscribe(refresh));
    const rest = teams.slice(maxStreams);
    let newest: string | undefined;
    const look = async () => {
      if (document.hidden) return;
      const { data } = await client
        .query(NewestEvents, { ids: rest }, { requestPolicy: 'network-only' })
        .toPromise();
      if (!data) return;
      const found = JSON.stringify(data.nodes);
      if (newest !== undefined && newest !== found) refresh();
      newest = found;
    };
    const timer = rest.length > 0 ? setInterval(look, pollMs) : undefined;
    return () => {
      clearInterval(timer);
      for (const { unsubscribe } of followed) unsubscribe();
    };
  }, [client, key, refresh]);
}

/** Reads the page again and again while jobs are carried out, whose progress the record does not have. */
export function useBusy(isBusy: boolean): void {
  const { refresh } = useLive();
  useEffect(() => {
    if (!isBusy) return;
    const timer = setInterval(refresh, pollMs);
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
