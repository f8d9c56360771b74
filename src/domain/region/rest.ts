import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { RegionFigures } from '../../drivers/region/driver.ts';
import { foundFor } from '../../kernel/batch.ts';
import { ApiError } from '../../kernel/errors.ts';
import { invalid, onlyStored } from '../../kernel/validate.ts';
import { flag, named, pageAnswer, pageAt, paging, searched } from '../../rest/parameters.ts';
import { type Route, route } from '../../rest/route.ts';
import { fieldsOf, view } from '../../rest/view.ts';
import { teamAt, teamPath } from '../team/rest.ts';
import { credentialOf } from './credential-operations.ts';
import { regionsOfTeam } from './list-reads.ts';
import { type RegionRef, type RegionStatus, regionStatusDigit } from './model.ts';
import {
  loadRegion,
  readTeamRegionAhead,
  requireRegion,
  requireTeamRegionNamed,
  visibleRegionByName,
} from './reads.ts';
import { figuresOf } from './usage-reads.ts';

export const regionPath = {
  ...teamPath,
  region_name: named('The name or id of the region. A name takes precedence.', 'eu-central'),
};

/** The region with this name or, if there is none, this id. */
export const regionNamed = async (context: Context, nameOrId: string): Promise<RegionRef> =>
  (await visibleRegionByName(context, nameOrId)) ? { name: nameOrId } : { regionId: nameOrId };

export const regionNamesOf = (
  objects: readonly { regionId: string }[],
  context: Context,
): Promise<string[]> =>
  foundFor(
    context,
    objects.map(({ regionId }) => regionId),
    async (_, id) => (await loadRegion(context, id)).name,
  );

export async function regionAt(context: Context, path: { team_id: string; region_name: string }) {
  readTeamRegionAhead(context, path.team_id, path.region_name);
  const team = await teamAt(context, path);
  const region = await requireTeamRegionNamed(context, team, path.region_name);
  return { team, region };
}

/** The fields of both region views, in the order of the contract. */
const fieldsOfRegion = <T>(regionOf: (row: T) => Row<'Region'>) => {
  const field = fieldsOf<T>();
  const text = (description: string, example: string, read: (region: Row<'Region'>) => string) =>
    field(z.string(), description, example, (row) => read(regionOf(row)));
  return {
    field,
    text,
    names: {
      region_name: text('The name of the region.', 'eu-central', (region) => region.name),
      region_alias: text('The display name.', 'Europe, Frankfurt', (region) => region.alias),
    },
    addresses: {
      url: text('The URL of the cluster API.', 'https://api.eu-central.example:8443', (region) => region.url),
      wsurl: text(
        `The URL of the cluster's WebSocket endpoint. ${onlyStored}`,
        'wss://ws.eu-central.example:6060',
        (region) => region.websocketUrl,
      ),
      httpdomain: text(
        'The root domain for HTTP access to applications.',
        'eu-central.apps.example',
        (region) => region.httpDomain,
      ),
      tcpdomain: text(
        'The root domain for TCP access to applications.',
        'tcp.eu-central.example',
        (region) => region.tcpDomain,
      ),
    },
    status: field(
      z.enum(regionStatusDigit),
      'The status: `0` editing, `1` enabled, `2` disabled, `3` under maintenance.',
      '1',
      (row) => regionStatusDigit[regionOf(row).status as RegionStatus],
    ),
    desc: text('A description of the region.', 'Production.', (region) => region.description),
    scope: text(
      'Who can view the region and open it for a team: `private` or `public`.',
      'private',
      (region) => region.scope,
    ),
  };
};

const opened = fieldsOfRegion(({ region }: { team: Row<'Team'>; region: Row<'Region'> }) => region);

const teamRegion = view('TeamRegionsResp', 'A region that is open for a team.', {
  region_id: opened.text('The id of the region.', '3c5d7e49f08a2b4c6d8e0f1a2b6b1f0a', (region) => region.id),
  ...opened.names,
  tenant_name: opened.field(z.string(), 'The name of the team.', 'retail', ({ team }) => team.name),
  ...opened.addresses,
  token: opened.field.each(
    z.string().nullable(),
    'The access token for the cluster API. Null if there is none, for callers other than enterprise administrators, and for read-only tokens.',
    null,
    ({ region }, context) => credentialOf(context, region, 'sealedToken'),
  ),
  status: opened.status,
  desc: opened.desc,
  scope: opened.scope,
});

interface Data {
  region: Row<'Region'>;
  /** The live figures; undefined if they were not requested. */
  figures: RegionFigures | null;
  health: 'ok' | 'failure';
}
const data = fieldsOfRegion(({ region }: Data) => region);

const credential = (
  description: string,
  sealedIn: 'sealedCaCertificate' | 'sealedClientCertificate' | 'sealedClientKey',
) =>
  data.field.each(
    z.string(),
    `${description}, in PEM. Empty if there is none, for callers other than enterprise administrators, and for read-only tokens.`,
    '',
    async ({ region }, context) => (await credentialOf(context, region, sealedIn)) ?? '',
  );

const figure = (description: string, example: number, name: keyof RegionFigures) =>
  data.field(z.number(), description, example, ({ figures }) => figures?.[name] ?? 0);

const regionInfo = view('RegionInfoR', 'A region, with its usage and capacity.', {
  ...data.names,
  ...data.addresses,
  scope: data.scope,
  ssl_ca_cert: credential(
    "The certificate of the authority that signed the cluster's certificate",
    'sealedCaCertificate',
  ),
  cert_file: credential('The client certificate', 'sealedClientCertificate'),
  key_file: credential('The private key of the client certificate', 'sealedClientKey'),
  desc: data.desc,
  used_disk: figure('The disk space in use, in GiB.', 0, 'usedDiskGiB'),
  total_disk: figure('The total disk space, in GiB.', 20_480, 'totalDiskGiB'),
  used_memory: figure('The memory in use, in MiB.', 12_288, 'usedMemoryMiB'),
  total_memory: figure('The total memory, in MiB.', 393_216, 'totalMemoryMiB'),
  used_cpu: figure('The CPU cores in use.', 12.5, 'usedCpuCores'),
  total_cpu: figure('The total CPU cores.', 96, 'totalCpuCores'),
  health_status: data.field(
    z.enum(['ok', 'failure']),
    '`failure` if usage figures were requested and the cluster did not respond; the figures are 0 in that case.',
    'ok',
    ({ health }) => health,
  ),
  status: data.status,
});

/** If a cluster does not respond, only its own figures are missing. */
async function askedOf(context: Context, region: Row<'Region'>): Promise<Data> {
  try {
    return { region, figures: await figuresOf(context, region), health: 'ok' };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'REGION_UNAVAILABLE') {
      return { region, figures: null, health: 'failure' };
    }
    throw error;
  }
}

export const regionRoutes: Route[] = [
  route('get /teams/{team_id}/regions', {
    operationId: 'listTeamRegions',
    tag: 'Regions',
    summary: 'List regions enabled for a team',
    description: 'The regions that are open for the team, in any status, sorted by name.',
    params: teamPath,
    query: { query: searched('the name or alias', 'eu'), ...paging },
    answer: pageAnswer('ListTeamRegionsResp', 'regions', 'regions', teamRegion.schema),
    run: async (context, { path, query }) => {
      const team = await teamAt(context, path);
      const { rows, total } = await pageAt(context, regionsOfTeam(team.id, { search: query.query }), query);
      return {
        total,
        regions: await teamRegion.all(
          context,
          rows.map((region) => ({ team, region })),
        ),
      };
    },
  }),
  route('get /regions/{region_id}', {
    operationId: 'getRegion',
    tag: 'Regions',
    summary: 'Get region data',
    description:
      'Returns a region. With `extend_info=true`, the response includes usage figures from the cluster.',
    params: { region_id: named('The name or id of the region. A name takes precedence.', 'eu-central') },
    query: {
      region_id: named('The name or id of the same region. Optional.', 'eu-central').optional(),
      extend_info: flag('Whether to include usage figures from the cluster:'),
    },
    answer: regionInfo.schema,
    run: async (context, { path, query }) => {
      const region = await requireRegion(context, await regionNamed(context, path.region_id));
      if (query.region_id !== undefined && ![region.name, region.id].includes(query.region_id)) {
        throw invalid(['region_id'], 'Must be the same region as in the path');
      }
      const asked = query.extend_info
        ? askedOf(context, region)
        : { region, figures: null, health: 'ok' as const };
      return regionInfo.of(context, await asked);
    },
  }),
];
