import { cacheExchange } from '@urql/exchange-graphcache';
import { createContext, useContext } from 'react';
import {
  Client,
  type CombinedError,
  fetchExchange,
  makeOperation,
  mapExchange,
  stringifyDocument,
  subscriptionExchange,
  type TypedDocumentNode,
} from 'urql';
import { followStream } from './event-stream.ts';
import { Follower } from './follower.ts';
import { Kept } from './kept.ts';
import { Live } from './live.ts';
import { pagedList } from './pages.ts';
import { pastCache, plannedIn } from './planned.ts';
import { possibleTypes } from './possible-types.ts';
import { showsRequestTimes } from './request-times.ts';
import { type Credential, groupOf, rejected } from './session.ts';

const url = '/graphql';

interface Changes {
  nodesChanged: { nodeId: string };
}

/**
 * The client of one session: signing in or out makes a new one, with an empty cache. `changes` is the subscription to what
 * all tabs show.
 */
export function createClient(
  credential: Credential,
  changes: TypedDocumentNode<Changes, { ids: string[] }>,
): { client: Client; live: Live } {
  const live = new Live();
  // Browsers send the cookie of a session by themselves.
  const headers: Record<string, string> =
    credential === 'session' ? {} : { Authorization: `Bearer ${credential.token}` };
  const kept = new Kept();
  const client = new Client({
    url,
    preferGetMethod: false,
    fetchOptions: { headers },
    requestPolicy: 'cache-and-network',
    exchanges: [
      mapExchange({
        onOperation(operation) {
          if (operation.kind === 'query' && !operation.context.isFixed)
            live.queries.set(operation.key, operation);
          if (operation.kind !== 'teardown') return;
          live.left(operation.key);
          kept.drop(operation.key);
        },
        onResult(result) {
          const planned = plannedIn(result);
          if (planned) return planned;
          if (result.operation.kind === 'mutation') live.refresh();
          return kept.shown(result);
        },
        onError(error) {
          if (error.graphQLErrors.some(isRejection)) void rejected();
        },
      }),
      cacheExchange({ keys, resolvers, possibleTypes }),
      // The exchanges from here on see only the requests that the cache could not answer.
      mapExchange({
        onOperation(operation) {
          const { kind, key, context } = operation;
          if (kind !== 'query') return;
          live.sent(key);
          live.costs.begin(key);
          if (!showsRequestTimes()) return;
          const fetchOptions = { headers: { ...headers, 'Trellis-Explain': '1' } };
          return makeOperation(kind, operation, { ...context, fetchOptions });
        },
        onResult(result) {
          const { operation, data, error, extensions } = result;
          if (operation.kind !== 'query') return pastCache(result);
          live.costs.end(operation.key, data, extensions?.explain);
          live.received(operation.key, error !== undefined && isTransient(error));
          return kept.received(result);
        },
      }),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query = '', variables }) => ({
          subscribe(sink) {
            const stream = {};
            const leave = followStream(
              { url, headers, body: { query, variables } },
              {
                next: (result) => sink.next(result),
                complete: () => {
                  live.note(stream, undefined);
                  sink.complete();
                },
                state: (state) => live.note(stream, state),
              },
            );
            return {
              unsubscribe() {
                leave();
                live.note(stream, undefined);
              },
            };
          },
        }),
      }),
    ],
  });
  const follower = new Follower({
    live,
    group: () => groupOf(credential),
    connect: (ids, { next, ...sink }) =>
      followStream(
        { url, headers, body: { query: stringifyDocument(changes), variables: { ids } } },
        {
          ...sink,
          next({ data, errors }) {
            if (data) next(data.nodesChanged.nodeId);
            if ((errors as CombinedError['graphQLErrors'] | undefined)?.some(isRejection)) void rejected();
          },
        },
      ),
  });
  live.attach(client, follower.follow);
  return { client, live };
}

/** The context of a query whose answer does not change while one is signed in. */
export const fixed = { isFixed: true };

export const LiveContext = createContext<Live>(new Live());
export const useLive = () => useContext(LiveContext);

/** Whether the same request can succeed later. */
const isTransient = ({ networkError, graphQLErrors }: CombinedError) =>
  networkError !== undefined ||
  graphQLErrors.every(({ extensions: { code } }) => code === 'UNAVAILABLE' || code === 'RATE_LIMITED');

const isRejection = ({ extensions }: CombinedError['graphQLErrors'][number]) =>
  extensions.code === 'UNAUTHENTICATED';

/** Types without an id belong to the object that they are a field of. */
const embedded = () => null;
const keys = Object.fromEntries(
  [
    'AccessGrant',
    'AvailableUpgrade',
    'ClaimPattern',
    'ClusterEvent',
    'ComponentInstance',
    'ComponentInstanceUsage',
    'ComponentLogLine',
    'ComponentLogs',
    'ComponentProblem',
    'Autoscaling',
    'SnapshotSchedule',
    'VolumeSnapshot',
    'ComponentProbes',
    'NodeLabel',
    'Placement',
    'Toleration',
    'ComponentSource',
    'ComponentUsage',
    'ComponentTrafficHistory',
    'ComponentUsageHistory',
    'DeployedImage',
    'EventChange',
    'GatewayRules',
    'GrpcProbe',
    'HttpProbe',
    'HttpRuleConfiguration',
    'InputIssue',
    'ManifestChange',
    'ManifestExport',
    'ManifestFieldChange',
    'ManifestImage',
    'ManifestObject',
    'ManifestOmission',
    'ManifestPlan',
    'ManifestState',
    'ObjectChange',
    'Probe',
    'ProbeHeader',
    'RegionCluster',
    'RegionGatewayQueries',
    'RegionCredentials',
    'RegionOrphan',
    'RegionUsage',
    'RoleInfo',
    'SetHeader',
    'TcpProbe',
    'TcpRuleExtension',
    'TeamResources',
    'UpgradeChange',
    'UsagePoint',
    'Viewer',
  ].map((name) => [name, embedded]),
);

/** Pages of a list with the same arguments are one list. */
const pages = (...fields: string[]) => Object.fromEntries(fields.map((field) => [field, pagedList]));
const resolvers = {
  Query: pages('events', 'templates', 'httpRules', 'tcpRules'),
  Team: pages(
    'applications',
    'components',
    'events',
    'jobs',
    'members',
    'regions',
    'templates',
    'httpRules',
    'serviceAccounts',
    'tcpRules',
    'certificates',
    'webhooks',
  ),
  Enterprise: pages('regions', 'users', 'roles'),
  Viewer: pages('accessTokens', 'sessions'),
  User: pages('accessTokens', 'sessions'),
  ServiceAccount: pages('accessTokens'),
  Application: pages('components', 'jobs', 'upgradeRecords'),
  Component: pages('ports', 'variables', 'volumes', 'dependencies', 'dependents', 'jobs'),
  Region: pages('applications', 'teams'),
  GatewayRules: pages('http', 'tcp'),
  Job: pages('components'),
  Webhook: pages('deliveries'),
};
