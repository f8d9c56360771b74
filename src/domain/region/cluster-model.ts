import { z } from 'zod';
import {
  type GatewayQueries,
  gatewayPlaceholders,
  gatewayQueryLimits,
  placeholdersIn,
} from '../../drivers/region/traffic.ts';
import { boundedString, isUrl, prose } from '../../kernel/validate.ts';

/** A URL without credentials. */
export const url = (schemes: string[], description: string) =>
  boundedString(255)
    .refine(
      (value) => isUrl(value, schemes),
      `Must be a URL without credentials, with the scheme ${schemes.map((scheme) => scheme.replace(':', '')).join(' or ')}`,
    )
    .describe(description);

/** The name of an object of a cluster. */
const className = (description: string) =>
  boundedString(253)
    .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 'Must be the name of a class in the cluster')
    .nullish()
    .describe(description);

/** The address of a server with a query API. */
const queryUrl = (description: string) =>
  url(['http:', 'https:'], '')
    .refine((value) => !/[?#]/.test(value), 'Must not have a query or a fragment')
    .nullish()
    .describe(
      `${description} As with \`url\`, loopback and link-local addresses are not connected to, unless REGION_ALLOW_LOCAL is set.`,
    );

const placeholderList = Object.entries(gatewayPlaceholders)
  .map(([name, meaning]) => `\`{{${name}}}\` (${meaning})`)
  .join(', ');

/** A query for the metrics of a gateway. Without the namespace in it, the figures of other teams would be read. */
const gatewayQuery = (description: string) =>
  prose(gatewayQueryLimits.length)
    .refine(
      (query) => placeholdersIn(query).every((name) => Object.hasOwn(gatewayPlaceholders, name)),
      `Must have no other placeholders than ${Object.keys(gatewayPlaceholders)
        .map((name) => `{{${name}}}`)
        .join(', ')}`,
    )
    .refine((query) => {
      const placeholders = placeholdersIn(query);
      return (
        placeholders.includes('namespace') &&
        (placeholders.includes('service') || placeholders.includes('workload'))
      );
    }, 'Must select one component: it needs the placeholder {{namespace}}, and {{service}} or {{workload}}')
    .nullish()
    .describe(
      `${description} At most ${gatewayQueryLimits.length} characters of PromQL, with a single series as its answer. These placeholders are replaced: ${placeholderList}. It must contain \`{{namespace}}\`, and \`{{service}}\` or \`{{workload}}\`.`,
    );

export const gatewayQueries = z.strictObject({
  requests: gatewayQuery('The query for the HTTP requests per second.'),
  errors: gatewayQuery('The query for the responses per second with a status from 500 to 599.'),
  latencyP95: gatewayQuery('The query for the 95th percentile of the time that responses take, in seconds.'),
});

export const clusterSettings = z.strictObject({
  gatewayClass: className(
    'The GatewayClass of the gateways that HTTP rules use. If null, HTTP rules become Ingress objects, which cannot express all of them.',
  ),
  ingressClass: className('The class of Ingress objects. If null, the default class of the cluster.'),
  storageClass: className('The StorageClass of volumes. If null, the default class of the cluster.'),
  sharedStorageClass: className(
    'The StorageClass of volumes that components share, which must support ReadWriteMany. If null, volumes cannot be shared.',
  ),
  certificateIssuer: boundedString(267)
    .regex(
      /^((Cluster)?Issuer\/)?[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/,
      'Must be the name of an issuer in the cluster, which `ClusterIssuer/` or `Issuer/` can precede',
    )
    .nullish()
    .describe(
      'The issuer of certificates for HTTP rules with `autoSsl`: the name of a ClusterIssuer of cert-manager, or `Issuer/NAME` for the Issuer of that name in the namespace of each team. In a region without a cluster, any name allows rules to have `autoSsl`. If null, rules cannot have `autoSsl`. It can only be removed while no rule uses it.',
    ),
  namespacePrefix: boundedString(24)
    .regex(/^[a-z]([-a-z0-9]*)$/, 'Must start with a letter and contain only `a` to `z`, digits and `-`')
    .nullish()
    .describe(
      'The prefix of the names of team namespaces, at most 24 characters. Defaults to `trellis-`. It can be changed only while the region is not open for any team. Regions that use the same cluster need different prefixes.',
    ),
  metricsUrl: queryUrl(
    'The address of a server with the Prometheus HTTP API that has recorded the kubelets of the cluster. `Component.usageHistory` is read from it. If null, only the current usage is available.',
  ),
  gatewayQueries: gatewayQueries
    .nullish()
    .describe(
      'The queries that ask the server at `metricsUrl` for the HTTP requests that the gateway of the cluster sends to a component. `Component.trafficHistory` is read with them. Omitted queries are unchanged. If null, requests are not measured.',
    ),
  logsUrl: queryUrl(
    'The address of a log store with the query API of Loki that has the logs of the pods in the cluster, with the labels `namespace` and `pod`. `Component.logs` searches it. If null, only the logs of current instances are available.',
  ),
});
export type ClusterSettingsInput = z.infer<typeof clusterSettings>;

/** The settings of the driver `kubernetes`, as they are stored. */
export const clusterDefaults = {
  gatewayClass: null as string | null,
  ingressClass: null as string | null,
  storageClass: null as string | null,
  sharedStorageClass: null as string | null,
  certificateIssuer: null as string | null,
  namespacePrefix: 'trellis-',
  metricsUrl: null as string | null,
  gatewayQueries: null as GatewayQueries | null,
  logsUrl: null as string | null,
};
export type StoredCluster = typeof clusterDefaults;

const noQueries: GatewayQueries = { requests: null, errors: null, latencyP95: null };

/** The stored settings, with the defaults of those that were never set. */
export function clusterOf({ cluster }: { cluster: string }): StoredCluster {
  const { gatewayQueries, ...stored } = JSON.parse(cluster) as Partial<StoredCluster>;
  return {
    ...clusterDefaults,
    ...stored,
    gatewayQueries: gatewayQueries ? { ...noQueries, ...gatewayQueries } : null,
  };
}

/** The entries that are set, by name. Undefined if there is none. */
function setOf(settings: object): object | undefined {
  const set = Object.entries(settings).filter(([, value]) => value != null);
  return set.length > 0 ? Object.fromEntries(set.sort(([a], [b]) => (a < b ? -1 : 1))) : undefined;
}

/** Stored settings with those that are given. Null resets a setting to its default. */
export function changedCluster(
  row: { cluster: string },
  input: ClusterSettingsInput | null | undefined,
): string {
  if (!input) return input === null ? '{}' : row.cluster;
  const before = JSON.parse(row.cluster) as Partial<StoredCluster>;
  const queries = input.gatewayQueries && setOf({ ...before.gatewayQueries, ...input.gatewayQueries });
  const next = {
    ...before,
    ...input,
    ...(input.gatewayQueries !== undefined && { gatewayQueries: queries }),
  };
  return JSON.stringify(setOf(next) ?? {});
}
