import { z } from 'zod';
import { identifier, reference } from '../../kernel/reference.ts';
import {
  boundedString,
  displayName,
  displayProse,
  dnsLabel,
  expectedRevision,
  hostNamePattern,
  onlyStored,
  plannedChange,
  prose,
  text,
} from '../../kernel/validate.ts';
import { teamRef } from '../team/model.ts';
import { clusterSettings, url } from './cluster-model.ts';
import { queryCredentialFields } from './query-credential-model.ts';

export const regionRef = reference('region', {
  regionId: identifier('The `uid` of the region.'),
  name: identifier('The name of the region.'),
});
export type RegionRef = z.infer<typeof regionRef>;

/** Region statuses, with their digits in the contract. */
export const regionStatusDigit = { editing: '0', enabled: '1', disabled: '2', maintenance: '3' } as const;
export type RegionStatus = keyof typeof regionStatusDigit;
export const regionStatus = z.enum(['editing', 'enabled', 'disabled', 'maintenance']);

/** Who can view a region and open it for a team. */
export const regionScope = z.enum(['private', 'public']);

/** The driver that carries out the jobs of a region. */
export const regionDrivers = {
  declared: 'No cluster. Components reach their desired state immediately.',
  simulated:
    'No cluster: components take a while to start and stop. Components whose image tag contains `crash` or `abnormal` fail, and those with `slow` take a hundred times as long.',
  kubernetes:
    'A Kubernetes cluster, at the `url` of the region and with its `credentials`. The desired state of the components is applied to it.',
} as const;
export const regionDriver = z.enum(Object.keys(regionDrivers) as [keyof typeof regionDrivers]);

/** A host name. `max` is below 253 if longer names are derived from it. */
const host = (description: string, max = 253) =>
  boundedString(max)
    .regex(hostNamePattern(), 'Must be a lower-case host name or an IPv4 address')
    .describe(description);

const pem = (description: string) => prose(32_768).nullish().describe(description);

export const regionCredentials = z.strictObject({
  token: text(4096).nullish().describe('The access token for the cluster API.'),
  caCertificate: pem("The certificate of the authority that signed the cluster's certificate, in PEM."),
  clientCertificate: pem('The client certificate, in PEM.'),
  clientKey: pem('The private key of the client certificate, in PEM.'),
});

export const kubeconfigText = prose(65_536);

const kubeconfig = kubeconfigText
  .nullish()
  .describe(
    'A kubeconfig, instead of `credentials`. The address, the certificate of the authority, and the token or the client certificate of its current context are kept. Plugins, files, proxies and all other keys of that context are rejected.',
  );

const texts = {
  url: 'The URL of the cluster API.',
  websocketUrl: `The URL of the cluster's WebSocket endpoint. ${onlyStored}`,
  httpDomain: 'The root domain for HTTP access to applications, at most 119 characters.',
  tcpDomain: 'The root domain or IP address for TCP access to applications.',
};
const address = {
  url: url(['http:', 'https:'], texts.url),
  websocketUrl: url(['ws:', 'wss:'], texts.websocketUrl),
  httpDomain: host(texts.httpDomain, 119),
  tcpDomain: host(texts.tcpDomain),
};

/** The settings that a kubeconfig can contain. */
export const kubeconfigContent = z.strictObject({ url: address.url, credentials: regionCredentials });

const cpuCores = z.number().min(0).max(1e6).nullish();
const memoryMiB = z.int32().min(0).nullish();
const diskGiB = z.number().min(0).max(1e9).nullish();

export const createRegion = z.strictObject({
  name: dnsLabel().describe('The unique name in the enterprise.'),
  alias: displayName(64).nullish().describe('The display name. Defaults to `name`.'),
  url: address.url
    .nullish()
    .describe(
      `${texts.url} Required for the driver KUBERNETES without a kubeconfig. For other drivers, defaults to \`https://\` followed by \`httpDomain\`.`,
    ),
  websocketUrl: address.websocketUrl
    .nullish()
    .describe(`${texts.websocketUrl} Defaults to \`url\` with the scheme \`ws\` or \`wss\`.`),
  httpDomain: address.httpDomain
    .nullish()
    .describe(
      `${texts.httpDomain} Required for the driver KUBERNETES. For other drivers, defaults to \`name\` followed by \`.test\`, which does not resolve.`,
    ),
  tcpDomain: address.tcpDomain.nullish().describe(`${texts.tcpDomain} Defaults to \`httpDomain\`.`),
  status: regionStatus.nullish().describe('The status. Defaults to ENABLED.'),
  description: displayProse(1024).nullish().describe('A description of the region.'),
  scope: regionScope
    .nullish()
    .describe('Who can view the region and open it for teams. Defaults to PRIVATE.'),
  driver: regionDriver
    .nullish()
    .describe('The driver that carries out the jobs of the region. Defaults to DECLARED.'),
  cpuCores: cpuCores.describe('The declared CPU capacity, in cores. Defaults to 0.'),
  memoryMiB: memoryMiB.describe('The declared memory capacity, in MiB. Defaults to 0.'),
  diskGiB: diskGiB.describe('The declared disk capacity, in GiB. Defaults to 0.'),
  allowsRoot: z
    .boolean()
    .nullish()
    .describe(
      'Whether components that need root can be deployed. Most public images need root. Defaults to true.',
    ),
  credentials: regionCredentials.nullish().describe('The credentials of the platform for the cluster API.'),
  kubeconfig,
  cluster: clusterSettings.nullish().describe('The settings of the driver KUBERNETES for the cluster.'),
  ...queryCredentialFields,
});
export type CreateRegion = z.infer<typeof createRegion>;

export const updateRegion = z.strictObject({
  region: regionRef.describe('The region to change. Omitted fields are unchanged.'),
  alias: displayName(64).nullish().describe('The display name.'),
  url: address.url.nullish().describe('The URL of the cluster API.'),
  websocketUrl: address.websocketUrl
    .nullish()
    .describe(`The URL of the cluster's WebSocket endpoint. ${onlyStored}`),
  httpDomain: address.httpDomain
    .nullish()
    .describe(
      'The root domain for HTTP access to applications, at most 119 characters. It can only change while no rule uses it.',
    ),
  tcpDomain: address.tcpDomain
    .nullish()
    .describe(
      'The root domain or IP address for TCP access to applications. It can only change while no rule uses it.',
    ),
  status: regionStatus.nullish().describe('The status.'),
  description: displayProse(1024).nullish().describe('A description of the region.'),
  scope: regionScope
    .nullish()
    .describe(
      'Who can view the region and open it for teams. A region that becomes PRIVATE stays open for its teams.',
    ),
  cpuCores: cpuCores.describe('The declared CPU capacity, in cores.'),
  memoryMiB: memoryMiB.describe('The declared memory capacity, in MiB.'),
  diskGiB: diskGiB.describe('The declared disk capacity, in GiB.'),
  allowsRoot: z
    .boolean()
    .nullish()
    .describe(
      'Whether components that need root can be deployed. Those that were deployed before keep running.',
    ),
  credentials: regionCredentials
    .nullish()
    .describe(
      'The credentials of the platform for the cluster API to replace. Set one of them, or the whole object, to null to remove it.',
    ),
  kubeconfig,
  cluster: clusterSettings
    .nullish()
    .describe('The settings of the driver KUBERNETES for the cluster. Omitted settings are unchanged.'),
  ...queryCredentialFields,
  expectedRevision: expectedRevision('the region'),
});
export type UpdateRegion = z.infer<typeof updateRegion>;

export const deleteRegion = z.strictObject({
  region: regionRef.describe('The region to delete.'),
  ...plannedChange('the region'),
});
export type DeleteRegion = z.infer<typeof deleteRegion>;

const cpuQuota = z.int32().min(0).nullish();
const memoryQuota = z.int32().min(0).nullish();

export const openTeamRegion = z.strictObject({
  team: teamRef.describe('The team.'),
  region: regionRef.describe('The region to open for the team.'),
  cpuQuotaMillicores: cpuQuota.describe(
    'The CPU quota of the team in the region, in millicores (1000 = 1 core). 0, the default, means no quota. Only enterprise administrators can set it.',
  ),
  memoryQuotaMiB: memoryQuota.describe(
    'The memory quota of the team in the region, in MiB. 0, the default, means no quota. Only enterprise administrators can set it.',
  ),
});
export type OpenTeamRegion = z.infer<typeof openTeamRegion>;

export const closeTeamRegion = z.strictObject({
  team: teamRef.describe('The team.'),
  region: regionRef.describe('The region to close for the team.'),
  ...plannedChange('the quota'),
});
export type CloseTeamRegion = z.infer<typeof closeTeamRegion>;

export const setTeamQuota = z.strictObject({
  team: teamRef.describe('The team.'),
  region: regionRef.describe('A region that is open for the team.'),
  cpuQuotaMillicores: cpuQuota.describe(
    'The CPU quota, in millicores (1000 = 1 core). 0 means no quota. Unchanged if omitted.',
  ),
  memoryQuotaMiB: memoryQuota.describe('The memory quota, in MiB. 0 means no quota. Unchanged if omitted.'),
  expectedRevision: expectedRevision('the quota'),
});
export type SetTeamQuota = z.infer<typeof setTeamQuota>;

export const teamRegionRef = z.strictObject({
  team: teamRef.describe('The team.'),
  region: regionRef.describe('The region.'),
});
export type TeamRegionRef = z.infer<typeof teamRegionRef>;

export const maxResourcePairs = 100;

export const regionOrders = {
  NAME: ['name', 'id'],
  CREATED_AT: ['createdAt', 'id'],
} as const;

/** The deploy state of components that run: they count towards usage and quotas. */
export const deployedState = 'running';
