import type { KubernetesRegion } from '../../clusters.ts';
import type { NamespaceOwner } from '../../desired.ts';
import type { StoredLogQuery, StoredLogs } from '../../instances.ts';
import { turnsByRegion } from '../cluster/shares.ts';
import { namespaceIn } from '../objects/namespaces.ts';
import type { LogQueries } from './queries.ts';

/** Reads lines from the log store of a region, if it has one. `queryOf` selects them in the namespace. */
export type StoredLines = (
  regionId: string,
  owner: NamespaceOwner,
  query: Pick<StoredLogQuery, 'reader' | 'tail' | 'from' | 'to'>,
  queryOf: (namespace: string) => string,
  signal: AbortSignal,
) => Promise<StoredLogs>;

export function storedLinesOf(
  regionOf: (regionId: string, signal: AbortSignal) => Promise<KubernetesRegion>,
  logQueries: LogQueries,
): StoredLines {
  /** The reads of the log store of each region. */
  const turnsOf = turnsByRegion({ all: 12, ofTeam: 6, ofUser: 3 });
  return async (regionId, owner, query, queryOf, signal) => {
    const region = await regionOf(regionId, signal);
    const { logsUrl } = region.cluster;
    if (logsUrl === null) return { gap: 'no_logs_url' };
    const text = queryOf(namespaceIn(region, owner));
    const server = { url: logsUrl, credentials: region.queryCredentials.logs };
    const readLines = () => logQueries.lines(server, text, query, signal);
    return { gap: null, ...(await turnsOf(region.id).run(query.reader, readLines, signal)) };
  };
}
