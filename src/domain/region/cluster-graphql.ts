import type { Row } from '../../db/tables.ts';
import type { RegionFigures } from '../../drivers/region/driver.ts';
import type { GatewayQueries } from '../../drivers/region/traffic.ts';
import { builder, restName } from '../../graphql/schema/builder.ts';
import { inputOf } from '../../graphql/schema/input.ts';
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

export const RegionUsage = builder.objectRef<RegionFigures>('RegionUsage').implement({
  description: 'The live usage and capacity of a region: CPU in cores, memory in MiB, disk in GiB.',
  fields: (t) => ({
    usedCpuCores: t.exposeFloat('usedCpuCores', {
      description: restName('The CPU cores in use.', 'used_cpu'),
    }),
    totalCpuCores: t.exposeFloat('totalCpuCores', {
      description: restName('The total CPU cores.', 'total_cpu'),
    }),
    usedMemoryMiB: t.exposeFloat('usedMemoryMiB', {
      description: restName('The memory in use, in MiB.', 'used_memory'),
    }),
    totalMemoryMiB: t.exposeFloat('totalMemoryMiB', {
      description: restName('The total memory, in MiB.', 'total_memory'),
    }),
    usedDiskGiB: t.exposeFloat('usedDiskGiB', {
      description: restName('The disk space in use, in GiB.', 'used_disk'),
    }),
    totalDiskGiB: t.exposeFloat('totalDiskGiB', {
      description: restName('The total disk space, in GiB.', 'total_disk'),
    }),
  }),
});

export const RegionCredentials = builder.objectRef<Row<'Region'>>('RegionCredentials').implement({
  description: 'The credentials of the platform for the cluster API.',
  fields: (t) => ({
    token: t.string({
      nullable: true,
      description: 'The access token for the cluster API.',
      resolve: (region, _, context) => credentialOf(context, region, 'sealedToken'),
    }),
    caCertificate: t.string({
      nullable: true,
      description: restName(
        "The certificate of the authority that signed the cluster's certificate, in PEM.",
        'ssl_ca_cert',
      ),
      resolve: (region, _, context) => credentialOf(context, region, 'sealedCaCertificate'),
    }),
    clientCertificate: t.string({
      nullable: true,
      description: restName('The client certificate, in PEM.', 'cert_file'),
      resolve: (region, _, context) => credentialOf(context, region, 'sealedClientCertificate'),
    }),
    clientKey: t.string({
      nullable: true,
      description: restName('The private key of the client certificate, in PEM.', 'key_file'),
      resolve: (region, _, context) => credentialOf(context, region, 'sealedClientKey'),
    }),
  }),
});

const RegionGatewayQueries = builder.objectRef<GatewayQueries>('RegionGatewayQueries').implement({
  description: 'How a metrics server is asked for what the gateway of a cluster has recorded.',
  fields: (t) => ({
    requests: t.exposeString('requests', {
      nullable: true,
      description: 'The query for the HTTP requests per second. Null if there is none.',
    }),
    errors: t.exposeString('errors', {
      nullable: true,
      description:
        'The query for the responses per second with a status from 500 to 599. Null if there is none.',
    }),
    latencyP95: t.exposeString('latencyP95', {
      nullable: true,
      description:
        'The query for the 95th percentile of the time that responses take, in seconds. Null if there is none.',
    }),
  }),
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

export const RegionCluster = builder.objectRef<ShownCluster>('RegionCluster').implement({
  description: 'How the driver KUBERNETES uses a cluster.',
  fields: (t) => ({
    gatewayClass: t.exposeString('gatewayClass', {
      nullable: true,
      description:
        'The GatewayClass of the gateways that HTTP rules use. Null if they become Ingress objects.',
    }),
    ingressClass: t.exposeString('ingressClass', {
      nullable: true,
      description: 'The class of Ingress objects. Null for the default class of the cluster.',
    }),
    storageClass: t.exposeString('storageClass', {
      nullable: true,
      description: 'The StorageClass of volumes. Null for the default class of the cluster.',
    }),
    certificateIssuer: t.exposeString('certificateIssuer', {
      nullable: true,
      description:
        'The issuer of certificates for HTTP rules with `autoSsl`: a ClusterIssuer of cert-manager, or after `Issuer/` an Issuer in the namespace of each team. Null if there is none.',
    }),
    namespacePrefix: t.exposeString('namespacePrefix', {
      description: 'What the names of the namespaces of teams start with.',
    }),
    metricsUrl: t.expose('metricsUrl', {
      type: 'URL',
      nullable: true,
      description:
        'The address of the server with the Prometheus HTTP API that `Component.usageHistory` is read from. Null if there is none.',
    }),
    hasMetricsCredentials: t.exposeBoolean('hasMetricsCredentials', {
      description:
        'Whether there are credentials for the server at `metricsUrl`. They cannot be read: set `metricsCredentials` of `updateRegion` to replace or remove them.',
    }),
    gatewayQueries: t.expose('gatewayQueries', {
      type: RegionGatewayQueries,
      nullable: true,
      description:
        'The queries for the metrics of the gateway that `Component.trafficHistory` is read with. Null if there is none.',
    }),
    logsUrl: t.expose('logsUrl', {
      type: 'URL',
      nullable: true,
      description:
        'The address of the log store with the query API of Loki that `Component.logs` searches. Null if there is none.',
    }),
    hasLogsCredentials: t.exposeBoolean('hasLogsCredentials', {
      description:
        'Whether there are credentials for the server at `logsUrl`. They cannot be read: set `logsCredentials` of `updateRegion` to replace or remove them.',
    }),
  }),
});

inputOf(
  'RegionGatewayQueriesInput',
  gatewayQueries,
  'How a metrics server is asked for what the gateway of a cluster has recorded. Set a query to null to remove it.',
);

inputOf(
  'RegionQueryCredentialsInput',
  queryCredentials,
  'The credentials for a metrics server or a log store: a token, or a username with a password, and the tenant where there are several.',
);

inputOf('RegionClusterInput', clusterSettings, 'How the driver KUBERNETES uses a cluster.');

inputOf('RegionCredentialsInput', regionCredentials, 'The credentials of the platform for a cluster API.');
