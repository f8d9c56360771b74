import { z } from 'zod';
import { identifier, reference } from '../../kernel/reference.ts';
import { displayName, displayProse, dnsLabel, prose, text } from '../../kernel/validate.ts';
import { teamRef } from '../team/model.ts';

export const regionRef = reference('region', {
  regionId: identifier('The `uid` of the region.'),
  name: identifier('The name of the region.'),
});
export type RegionRef = z.infer<typeof regionRef>;

/** Statuses, with the digits that the contract gives them. */
export const regionStatusDigit = { editing: '0', enabled: '1', disabled: '2', maintenance: '3' } as const;
export type RegionStatus = keyof typeof regionStatusDigit;
export const regionStatus = z.enum(['editing', 'enabled', 'disabled', 'maintenance']);

/** Who sees a region, and who opens it for a team. */
export const regionScope = z.enum(['private', 'public']);

/** A host name; with a `max` below 253 where names are made below it. */
const host = (description: string, max = 253) =>
  z
    .string()
    .max(max)
    .regex(
      /^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$/,
      'Must be a lower-case host name or an IPv4 address',
    )
    .describe(description);

const url = (schemes: string[], description: string) =>
  z
    .string()
    .max(255)
    .refine(
      (value) => {
        if (!/^[\x21-\x7e]+$/.test(value)) return false;
        try {
          const { protocol, username, password } = new URL(value);
          return schemes.includes(protocol) && username === '' && password === '';
        } catch {
          return false;
        }
      },
      `Must be a URL without credentials, with the scheme ${schemes.map((scheme) => scheme.replace(':', '')).join(' or ')}`,
    )
    .describe(description);

const pem = (description: string) => prose(32_768).nullish().describe(description);

export const regionCredentials = z.strictObject({
  token: text(4096).nullish().describe('Token of the cluster.'),
  caCertificate: pem('Certificate of the authority that signed the cluster, PEM.'),
  clientCertificate: pem('Client certificate, PEM.'),
  clientKey: pem('Key of the client certificate, PEM.'),
});

export const createRegion = z.strictObject({
  name: dnsLabel().describe('Unique name in the enterprise.'),
  alias: displayName(64).nullish().describe('Name shown to people; the name by default.'),
  url: url(['http:', 'https:'], 'Address of the API of the cluster.'),
  websocketUrl: url(['ws:', 'wss:'], 'Address of its websocket.'),
  httpDomain: host('Root domain for HTTP access to applications, at most 119 characters.', 119),
  tcpDomain: host('Root domain or address for TCP access to applications.'),
  status: regionStatus.nullish().describe('ENABLED by default.'),
  description: displayProse(1024).nullish().describe('What it is for.'),
  scope: regionScope.nullish().describe('Who sees the region and opens it for teams. PRIVATE by default.'),
  cpuCores: z.number().min(0).max(1e6).nullish().describe('Declared capacity in cores; 0 by default.'),
  memoryMiB: z.int32().min(0).nullish().describe('Declared capacity in MiB; 0 by default.'),
  diskGiB: z.number().min(0).max(1e9).nullish().describe('Declared capacity in GiB; 0 by default.'),
  credentials: regionCredentials.nullish().describe('What the platform authenticates to the cluster with.'),
});
export type CreateRegion = z.infer<typeof createRegion>;

const cpuQuota = z.int32().min(0).nullish();
const memoryQuota = z.int32().min(0).nullish();

export const openTeamRegion = z.strictObject({
  team: teamRef.describe('The team.'),
  region: regionRef.describe('The region to open for it.'),
  cpuQuotaMillicores: cpuQuota.describe(
    'CPU quota of the team in the region, in millicores (1000 = 1 core). 0 means no quota, the default. Only enterprise administrators may set it.',
  ),
  memoryQuotaMiB: memoryQuota.describe(
    'Memory quota of the team in the region, in MiB. 0 means no quota, the default. Only enterprise administrators may set it.',
  ),
});
export type OpenTeamRegion = z.infer<typeof openTeamRegion>;

export const setTeamQuota = z.strictObject({
  team: teamRef.describe('The team.'),
  region: regionRef.describe('A region that is opened for the team.'),
  cpuQuotaMillicores: cpuQuota.describe(
    'CPU quota, in millicores (1000 = 1 core). 0 means no quota. Unchanged when left out.',
  ),
  memoryQuotaMiB: memoryQuota.describe('Memory quota, in MiB. 0 means no quota. Unchanged when left out.'),
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
