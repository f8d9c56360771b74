import { useSyncExternalStore } from 'react';
import { useLive } from '../api/client.ts';
import type { ViewRequest } from '../api/view.ts';
import { strings } from '../strings.ts';
import { graphiqlPath } from './interface-links.tsx';

/** The one request of the page, what it took, and a link that opens it in GraphiQL. */
export function RequestCorner({ request }: { request: ViewRequest }) {
  const { costs } = useLive();
  const cost = useSyncExternalStore(costs.subscribe, () => costs.of(request.key));
  const link = new URLSearchParams({
    query: request.query,
    variables: JSON.stringify(request.variables, null, 2),
  });
  return (
    <aside className="corner" aria-label={strings.request.one}>
      {cost && <span>{strings.request.cost(cost.ms, cost.objects)}</span>}
      {graphiqlPath && <a href={`${graphiqlPath}?${link}`}>{strings.request.open}</a>}
    </aside>
  );
}
