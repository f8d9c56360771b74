import type { Role } from '../kernel/actions.ts';

/** The email address of a person in the demo. */
export const at = (name: string) => `${name}@trellis.example`;

export const people: [email: string, nickName: string, isAdministrator?: boolean][] = [
  [at('ingrid.solberg'), 'Ingrid Solberg', true],
  [at('marco.ferri'), 'Marco Ferri'],
  [at('amara.okafor'), 'Amara Okafor'],
  [at('jonas.weber'), 'Jonas Weber'],
  [at('priya.nair'), 'Priya Nair'],
  [at('lea.moreau'), 'Léa Moreau'],
  [at('tomasz.zielinski'), 'Tomasz Zieliński'],
];

export const regions = [
  {
    name: 'eu-central',
    alias: 'Europe, Frankfurt',
    description: 'Production.',
    cpuCores: 96,
    memoryMiB: 393_216,
    diskGiB: 20_480,
  },
  {
    name: 'us-east',
    alias: 'United States, Virginia',
    description: 'Load tests, simulated.',
    driver: 'simulated',
    cpuCores: 64,
    memoryMiB: 262_144,
    diskGiB: 10_240,
  },
] as const;

export interface DemoTeam {
  name: string;
  alias: string;
  members: Record<string, Role>;
  /** The CPU and memory quotas by region. */
  regions: Record<string, [cpuQuotaMillicores: number, memoryQuotaMiB: number]>;
  applications: {
    template: string;
    version: string;
    region: string;
    principal: string;
    note: string;
    /** The first of the consecutive component aliases, so that the examples of the OpenAPI document exist in the demo. */
    firstAlias: number;
    /** Components in other states than running. */
    show?: { stopped: string; failing: string; deploying: string };
  }[];
}

export const teams: DemoTeam[] = [
  {
    name: 'retail',
    alias: 'Retail',
    members: {
      'marco.ferri': 'owner',
      'jonas.weber': 'admin',
      'amara.okafor': 'developer',
      'lea.moreau': 'viewer',
    },
    regions: { 'eu-central': [16_000, 32_768], 'us-east': [12_000, 24_576] },
    applications: [
      {
        template: 'online-boutique',
        version: 'v0.10.3',
        region: 'eu-central',
        principal: 'Amara Okafor',
        note: 'The web shop: eleven services that talk gRPC, and a load generator.',
        firstAlias: 0x07c0fc,
      },
      {
        template: 'sock-shop',
        // The newest version is left to be upgraded to.
        version: '0.0.12',
        region: 'us-east',
        principal: 'Jonas Weber',
        note: 'The shop that sells socks, with its queue and databases.',
        firstAlias: 0x2b8e10,
        show: { stopped: 'queue-master', failing: 'shipping', deploying: 'login' },
      },
    ],
  },
  {
    name: 'media',
    alias: 'Media',
    members: { 'priya.nair': 'owner', 'marco.ferri': 'developer', 'tomasz.zielinski': 'viewer' },
    regions: { 'eu-central': [4_000, 8_192] },
    applications: [
      {
        template: 'wordpress-mysql',
        version: '2022.05.10',
        region: 'eu-central',
        principal: 'Priya Nair',
        note: 'The magazine.',
        firstAlias: 0x328518,
      },
    ],
  },
  {
    name: 'platform',
    alias: 'Platform engineering',
    members: { 'jonas.weber': 'owner', 'tomasz.zielinski': 'admin', 'lea.moreau': 'developer' },
    regions: { 'eu-central': [8_000, 16_384], 'us-east': [8_000, 16_384] },
    applications: [
      {
        template: 'bookinfo',
        version: '1.30.3',
        region: 'eu-central',
        principal: 'Tomasz Zieliński',
        note: 'Three versions of one service side by side, to try traffic rules on.',
        firstAlias: 0x5d41a0,
      },
    ],
  },
];
