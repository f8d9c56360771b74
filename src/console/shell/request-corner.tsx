import { useSyncExternalStore } from 'react';
import { useLive } from '../api/client.ts';
import type { ViewRequest } from '../api/view.ts';
import { strings } from '../strings.ts';
import { RequestLink } from './interface-links.tsx';
import { useRequestTimes } from './request-times.ts';

/** The one request of the page, what it took, and a link that opens it in GraphiQL: for those who have switched it on. */
export function RequestCorner({ request }: { request: ViewRequest }) {
  const { costs } = useLive();
  const cost = useSyncExternalStore(costs.subscribe, () => costs.of(request.key));
  if (!useRequestTimes()) return null;
  return (
    <aside className="corner" aria-label={strings.request.one}>
      {cost && <span>{strings.request.cost(cost.ms, cost.objects)}</span>}
      <RequestLink request={request} />
    </aside>
  );
}
