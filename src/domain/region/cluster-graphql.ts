import type { Row } from '../../db/tables.ts';
import type { RegionFigures } from '../../drivers/region/driver.ts';
import type { GatewayQueries } from '../../drivers/region/traffic.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { propertyOrNull } from '../../graphql/schema/exposed.ts';
import { inputOf } from '../../graphql/schema/input.ts';
import { objectType } from '../../graphql/schema/object-type.ts';
import { clusterOf, clusterSettings, gatewayQueries, type StoredCluster } from './cluster-model.ts';
import { credentialOf } from './credential-operations.ts';
import { regionCredentials } from './model.ts';
import { queryCredentials } from './query-credential-model.ts';

export const RegionHealth = builder.enumType('RegionHealth', {
  description: "The health of a region's cluster.",
  values: {
    OK: { value: 'ok', description: 'The cluster responds.' },
    FAILURE: {
      value: 'failure',
      description: 'The cluster failed, or took longer than 5 seconds to respond.',
    },
  },
});

export const RegionUsage = objectType<RegionFigures>('RegionUsage', {
  description: 'The live usage and capacity of a region: CPU in cores, memory in MiB, disk in GiB.',
  exposes: {
    'usedCpuCores: Float!': 'The CPU cores in use. REST: `used_cpu`.',
    'totalCpuCores: Float!': 'The total CPU cores. REST: `total_cpu`.',
    'usedMemoryMiB: Float!': 'The memory in use, in MiB. REST: `used_memory`.',
    'totalMemoryMiB: Float!': 'The total memory, in MiB. REST: `total_memory`.',
    'usedDiskGiB: Float!': 'The disk space in use, in GiB. REST: `used_disk`.',
    'totalDiskGiB: Float!': 'The total disk space, in GiB. REST: `total_disk`.',
  },
});

export const RegionCredentials = objectType<Row<'Region'>>('RegionCredentials', {
  description: 'The credentials of the platform for the cluster API.',
  fields: (t) => ({
    token: t.string({
      nullable: true,
      description: 'The access token for the cluster API.',
      resolve: (region, _, context) => credentialOf(context, region, 'sealedToken'),
    }),
    caCertificate: t.string({
      nullable: true,
      description:
        "The certificate of the authority that signed the cluster's certificate, in PEM. REST: `ssl_ca_cert`.",
      resolve: (region, _, context) => credentialOf(context, region, 'sealedCaCertificate'),
    }),
    clientCertificate: t.string({
      nullable: true,
      description: 'The client certificate, in PEM. REST: `cert_file`.',
      resolve: (region, _, context) => credentialOf(context, region, 'sealedClientCertificate'),
    }),
    clientKey: t.string({
      nullable: true,
      description: 'The private key of the client certificate, in PEM. REST: `key_file`.',
      resolve: (region, _, context) => credentialOf(context, region, 'sealedClientKey'),
    }),
  }),
});

const RegionGatewayQueries = objectType<GatewayQueries>('RegionGatewayQueries', {
  description: 'The queries that ask a metrics server for the recorded requests of the gateway of a cluster.',
  exposes: {
    'requests: String': 'The query for the HTTP requests per second. Null if not set.',
    'errors: String':
      'The query for the responses per second with a status from 500 to 599. Null if not set.',
    'latencyP95: String':
      'The query for the 95th percentile of the time that responses take, in seconds. Null if not set.',
  },
});

interface ShownCluster extends StoredCluster {
  hasMetricsCredentials: boolean;
  hasLogsCredentials: boolean;
}

/** The columns that `shownCluster` needs, and whether it is shown. */
export const clusterColumns = [
  'driver',
  'cluster',
  'enterpriseId',
  'sealedMetricsCredentials',
  'sealedLogsCredentials',
] as const satisfies (keyof Row<'Region'>)[];

/** The settings of a cluster, and which credentials there are. */
export const shownCluster = (
  region: Pick<Row<'Region'>, 'cluster' | 'sealedMetricsCredentials' | 'sealedLogsCredentials'>,
): ShownCluster => ({
  ...clusterOf(region),
  hasMetricsCredentials: region.sealedMetricsCredentials !== null,
  hasLogsCredentials: region.sealedLogsCredentials !== null,
});

export const RegionCluster = objectType<ShownCluster>('RegionCluster', {
  description: 'The settings of the driver KUBERNETES for a cluster.',
  exposes: {
    'gatewayClass: String':
      'The GatewayClass of the gateways that HTTP rules use. Null if they become Ingress objects.',
    'ingressClass: String': 'The class of Ingress objects. Null for the default class of the cluster.',
    'storageClass: String': 'The StorageClass of volumes. Null for the default class of the cluster.',
    'sharedStorageClass: String':
      'The StorageClass of volumes that components share. Null if volumes cannot be shared.',
    'certificateIssuer: String':
      'The issuer of certificates for HTTP rules with `autoSsl`: a ClusterIssuer of cert-manager, or after `Issuer/` an Issuer in the namespace of each team. Null if not set.',
    'namespacePrefix: String!': 'The prefix of the names of team namespaces.',
    'metricsUrl: URL':
      'The address of the server with the Prometheus HTTP API that `Component.usageHistory` is read from. Null if not set.',
    'hasMetricsCredentials: Boolean!':
      'Whether there are credentials for the server at `metricsUrl`. They cannot be read: set `metricsCredentials` of `updateRegion` to replace or remove them.',
    'logsUrl: URL':
      'The address of the log store with the query API of Loki that `Component.logs` searches. Null if not set.',
    'hasLogsCredentials: Boolean!':
      'Whether there are credentials for the server at `logsUrl`. They cannot be read: set `logsCredentials` of `updateRegion` to replace or remove them.',
    gatewayQueries: propertyOrNull(
      RegionGatewayQueries,
      'The queries of `Component.trafficHistory` for the metrics of the gateway. Null if not set.',
    ),
  },
});

inputOf(
  'RegionGatewayQueriesInput',
  gatewayQueries,
  'The queries that ask a metrics server for the recorded requests of the gateway of a cluster. Set a query to null to remove it.',
);

inputOf(
  'RegionQueryCredentialsInput',
  queryCredentials,
  'The credentials for a metrics server or a log store: a token, or a username with a password, and the tenant where there are several.',
);

inputOf('RegionClusterInput', clusterSettings, 'The settings of the driver KUBERNETES for a cluster.');

inputOf('RegionCredentialsInput', regionCredentials, 'The credentials of the platform for a cluster API.');
