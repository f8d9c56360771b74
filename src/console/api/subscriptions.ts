import { useEffect } from 'react';
import { useClient } from 'urql';
import { ApplicationChanged, JobChanged, TeamEvents } from '../documents/live.ts';
import { useLive } from './client.ts';

/** Reads the page again whenever something happens in these teams. */
export function useTeamsLive(ids: readonly string[]): void {
  const client = useClient();
  const { refresh } = useLive();
  const key = ids.join();
  useEffect(() => {
    const followed = (key ? key.split(',') : [])
      .slice(0, maxStreams)
      .map((id) => client.subscription(TeamEvents, { team: { id } }).subscribe(refresh));
    return () => {
      for (const { unsubscribe } of followed) unsubscribe();
    };
  }, [client, key, refresh]);
}

/** Browsers open six connections to a host, which the windows share with their requests. */
const maxStreams = 2;

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
