import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { RegionFigures } from '../../drivers/region/driver.ts';
import { ApiError } from '../../kernel/errors.ts';
import { invalid } from '../../kernel/validate.ts';
import { flag, named, pageAnswer, pageAt, paging, searched } from '../../rest/parameters.ts';
import { type Route, route } from '../../rest/route.ts';
import { fieldsOf, view } from '../../rest/view.ts';
import { teamAt, teamPath } from '../team/rest.ts';
import { type RegionRef, type RegionStatus, regionStatusDigit } from './model.ts';
import {
  credentialOf,
  regionsOfTeam,
  requireRegion,
  requireTeamRegion,
  visibleRegionByName,
} from './reads.ts';
import { figuresOf } from './usage.ts';

export const regionPath = {
  ...teamPath,
  region_name: named('Name of the region, else its id.', 'eu-central'),
};

/** What a path or a body calls a region: its name, else its id. */
export const regionNamed = async (context: Context, nameOrId: string): Promise<RegionRef> =>
  (await visibleRegionByName(context, nameOrId)) ? { name: nameOrId } : { regionId: nameOrId };

/** The team that a path names, and the region of it. */
export async function regionAt(context: Context, path: { team_id: string; region_name: string }) {
  const team = await teamAt(context, path);
  const region = await requireTeamRegion(context, team, await regionNamed(context, path.region_name));
  return { team, region };
}

/** What both views tell of a region, in the order of the contract. */
const told = <T>(regionOf: (row: T) => Row<'Region'>) => {
  const field = fieldsOf<T>();
  const text = (description: string, example: string, read: (region: Row<'Region'>) => string) =>
    field(z.string(), description, example, (row) => read(regionOf(row)));
  return {
    field,
    text,
    names: {
      region_name: text('Name of the region.', 'eu-central', (region) => region.name),
      region_alias: text('Name shown to people.', 'Europe, Frankfurt', (region) => region.alias),
    },
    addresses: {
      url: text('Address of the API.', 'https://api.eu-central.example:8443', (region) => region.url),
      wsurl: text(
        'Address of the websocket.',
        'wss://ws.eu-central.example:6060',
        (region) => region.websocketUrl,
      ),
      httpdomain: text(
        'Root domain for HTTP access to applications.',
        'eu-central.apps.example',
        (region) => region.httpDomain,
      ),
      tcpdomain: text(
        'Root domain for TCP access to applications.',
        'tcp.eu-central.example',
        (region) => region.tcpDomain,
      ),
    },
    status: field(
      z.enum(regionStatusDigit),
      '`0` editing, `1` enabled, `2` disabled, `3` under maintenance.',
      '1',
      (row) => regionStatusDigit[regionOf(row).status as RegionStatus],
    ),
    desc: text('What it is for.', 'Production.', (region) => region.description),
    scope: text('Scope.', 'private', (region) => region.scope),
  };
};

const opened = told(({ region }: { team: Row<'Team'>; region: Row<'Region'> }) => region);

const teamRegion = view('TeamRegionsResp', 'A region that is enabled for a team.', {
  region_id: opened.text('Id of the region.', '3c5d7e49f08a2b4c6d8e0f1a2b6b1f0a', (region) => region.id),
  ...opened.names,
  tenant_name: opened.field(z.string(), 'Name of the team.', 'retail', ({ team }) => team.name),
  ...opened.addresses,
  token: opened.field(
    z.string().nullable(),
    'Token of the region; null for none, and for all but administrators.',
    null,
    ({ region }, context) => credentialOf(context, region, 'sealedToken'),
  ),
  status: opened.status,
  desc: opened.desc,
  scope: opened.scope,
});

interface Data {
  region: Row<'Region'>;
  /** What its cluster says; nothing where it was not asked. */
  figures: RegionFigures | null;
  health: 'ok' | 'failure';
}
const data = told(({ region }: Data) => region);

const credential = (
  description: string,
  sealedIn: 'sealedCaCertificate' | 'sealedClientCertificate' | 'sealedClientKey',
) =>
  data.field(
    z.string(),
    `${description}, PEM; empty for none, and for all but administrators.`,
    '',
    ({ region }, context) => credentialOf(context, region, sealedIn) ?? '',
  );

const figure = (description: string, example: number, name: keyof RegionFigures) =>
  data.field(z.number(), description, example, ({ figures }) => figures?.[name] ?? 0);

const regionInfo = view('RegionInfoR', 'The data of a region.', {
  ...data.names,
  ...data.addresses,
  scope: data.scope,
  ssl_ca_cert: credential('Certificate of the authority that signed the cluster', 'sealedCaCertificate'),
  cert_file: credential('Client certificate', 'sealedClientCertificate'),
  key_file: credential('Key of the client certificate', 'sealedClientKey'),
  desc: data.desc,
  used_disk: figure('Disk in use, GiB.', 0, 'usedDiskGiB'),
  total_disk: figure('Disk there is, GiB.', 20_480, 'totalDiskGiB'),
  used_memory: figure('Memory in use, MiB.', 12_288, 'usedMemoryMiB'),
  total_memory: figure('Memory there is, MiB.', 393_216, 'totalMemoryMiB'),
  used_cpu: figure('Cores in use.', 12.5, 'usedCpuCores'),
  total_cpu: figure('Cores there are.', 96, 'totalCpuCores'),
  health_status: data.field(
    z.enum(['ok', 'failure']),
    '`failure` when the cluster was asked and did not answer; its figures are 0 then.',
    'ok',
    ({ health }) => health,
  ),
  status: data.status,
});

/** A cluster that does not answer costs its own figures alone. */
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
    description: 'The regions that are enabled for the team, whatever their status, by name.',
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
    description: 'The data of a region; with `extend_info`, what its cluster says of its use as well.',
    params: { region_id: named('Name of the region, else its id.', 'eu-central') },
    query: {
      region_id: named('The same region once more, by its name or id.', 'eu-central').optional(),
      extend_info: flag('Whether the cluster is asked for its figures:'),
    },
    answer: regionInfo.schema,
    run: async (context, { path, query }) => {
      const region = await requireRegion(context, await regionNamed(context, path.region_id));
      if (query.region_id !== undefined && ![region.name, region.id].includes(query.region_id)) {
        throw invalid(['region_id'], 'Must be the region of the path');
      }
      const asked = query.extend_info
        ? askedOf(context, region)
        : { region, figures: null, health: 'ok' as const };
      return regionInfo.of(context, await asked);
    },
  }),
];
