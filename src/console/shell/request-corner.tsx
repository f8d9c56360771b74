import { useSyncExternalStore } from 'react';
import { useLive } from '../api/client.ts';
import { useRequestTimes } from '../api/request-times.ts';
import type { ViewRequest } from '../api/view.ts';
import { strings } from '../strings.ts';
import { RequestLink } from './interface-links.tsx';
import { RequestCost } from './request-cost.tsx';

/** The one request of the page, what it took, and a link that opens it in GraphiQL: for those who have switched it on. */
export function RequestCorner({ request }: { request: ViewRequest }) {
  const { costs } = useLive();
  const cost = useSyncExternalStore(costs.subscribe, () => costs.of(request.key));
  if (!useRequestTimes()) return null;
  return (
    <aside className="corner" aria-label={strings.request.one}>
      {cost && <RequestCost cost={cost} />}
      <RequestLink request={request} />
    </aside>
  );
}
