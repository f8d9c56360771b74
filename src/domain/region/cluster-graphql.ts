import type { Row } from '../../db/tables.ts';
import type { RegionFigures } from '../../drivers/region/driver.ts';
import { builder, restName } from '../../graphql/schema/builder.ts';
import { inputOf } from '../../graphql/schema/input.ts';
import { credentialOf } from './credential-operations.ts';
import { clusterSettings, regionCredentials, type StoredCluster } from './model.ts';

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

export const RegionCluster = builder.objectRef<StoredCluster>('RegionCluster').implement({
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
    namespacePrefix: t.exposeString('namespacePrefix', {
      description: 'What the names of the namespaces of teams start with.',
    }),
  }),
});

inputOf('RegionClusterInput', clusterSettings, 'How the driver KUBERNETES uses a cluster.');

inputOf('RegionCredentialsInput', regionCredentials, 'The credentials of the platform for a cluster API.');
