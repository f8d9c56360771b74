import { useEffect } from 'react';
import { useClient } from 'urql';
import { useLive } from '../api/client.ts';
import { lookMs } from '../api/live.ts';
import { useTeamsLive } from '../api/subscriptions.ts';
import { LookQuery } from '../documents/live.ts';

/** Reads the page again whenever something happens in these teams or the cluster of this region reports something new. */
export function useRegionLive(id: string | undefined, teamIds: readonly string[]): void {
  useTeamsLive(teamIds);
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
      const current = JSON.stringify(data.node);
      if (seen !== undefined && seen !== current) live.refresh();
      seen = current;
    };
    const timer = setInterval(look, lookMs);
    return () => {
      hasEnded = true;
      clearInterval(timer);
      live.note(looks, undefined);
    };
  }, [client, id, live]);
}
