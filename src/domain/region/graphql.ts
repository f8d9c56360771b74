import type { Row } from '../../db/tables.ts';
import type { RegionFigures } from '../../drivers/region/driver.ts';
import { builder, restName } from '../../graphql/schema/builder.ts';
import { connectionField, orderInput } from '../../graphql/schema/connection.ts';
import { enumOf, inputOf, referenceOf } from '../../graphql/schema/input.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { administers } from '../../kernel/access.ts';
import { search } from '../../kernel/validate.ts';
import { Enterprise } from '../enterprise/graphql.ts';
import { enterpriseById } from '../enterprise/reads.ts';
import { Team } from '../team/graphql.ts';
import {
  createRegion,
  openTeamRegion,
  type RegionStatus,
  regionCredentials,
  regionRef,
  regionScope,
  regionStatus,
} from './model.ts';
import * as operations from './operations.ts';
import {
  credentialOf,
  regionsOfEnterprise,
  regionsOfTeam,
  requireRegion,
  teamsOfRegion,
  visibleRegion,
} from './reads.ts';
import { figuresOf, healthOf } from './usage.ts';

export const RegionRef = referenceOf('RegionRef', regionRef, 'Names a region: exactly one field.');

const RegionStatusEnum = enumOf(
  'RegionStatus',
  regionStatus,
  'Whether a region takes changes. REST gives the digit.',
  {
    editing: 'Being set up; REST `0`.',
    enabled: 'Takes changes; REST `1`.',
    disabled: 'Switched off; REST `2`.',
    maintenance: 'Under maintenance; REST `3`.',
  },
);

const RegionScopeEnum = enumOf(
  'RegionScope',
  regionScope,
  'Who sees a region, and who opens it for a team.',
  {
    private:
      'Members of the teams for which it is open see it. Enterprise administrators open it. REST `private`.',
    public: 'Every member of the enterprise sees it. Admins of a team open it for the team. REST `public`.',
  },
);

const RegionHealth = builder.enumType('RegionHealth', {
  description: 'Whether the cluster of a region answers.',
  values: {
    OK: { value: 'ok', description: 'It answers.' },
    FAILURE: { value: 'failure', description: 'It failed, or took over 5 seconds.' },
  },
});

const RegionUsage = builder.objectRef<RegionFigures>('RegionUsage').implement({
  description: 'Live figures of a region: cpu in cores, memory in MiB, disk in GiB.',
  fields: (t) => ({
    usedCpuCores: t.exposeFloat('usedCpuCores', { description: restName('Cores in use.', 'used_cpu') }),
    totalCpuCores: t.exposeFloat('totalCpuCores', { description: restName('Cores there are.', 'total_cpu') }),
    usedMemoryMiB: t.exposeFloat('usedMemoryMiB', {
      description: restName('Memory in use, MiB.', 'used_memory'),
    }),
    totalMemoryMiB: t.exposeFloat('totalMemoryMiB', {
      description: restName('Memory there is, MiB.', 'total_memory'),
    }),
    usedDiskGiB: t.exposeFloat('usedDiskGiB', { description: restName('Disk in use, GiB.', 'used_disk') }),
    totalDiskGiB: t.exposeFloat('totalDiskGiB', {
      description: restName('Disk there is, GiB.', 'total_disk'),
    }),
  }),
});

const RegionCredentials = builder.objectRef<Row<'Region'>>('RegionCredentials').implement({
  description: 'What the platform authenticates to the cluster with.',
  fields: (t) => ({
    token: t.string({
      nullable: true,
      description: 'Token of the cluster.',
      resolve: (region, _, context) => credentialOf(context, region, 'sealedToken'),
    }),
    caCertificate: t.string({
      nullable: true,
      description: restName('Certificate of the authority that signed the cluster, PEM.', 'ssl_ca_cert'),
      resolve: (region, _, context) => credentialOf(context, region, 'sealedCaCertificate'),
    }),
    clientCertificate: t.string({
      nullable: true,
      description: restName('Client certificate, PEM.', 'cert_file'),
      resolve: (region, _, context) => credentialOf(context, region, 'sealedClientCertificate'),
    }),
    clientKey: t.string({
      nullable: true,
      description: restName('Key of the client certificate, PEM.', 'key_file'),
      resolve: (region, _, context) => credentialOf(context, region, 'sealedClientKey'),
    }),
  }),
});

export const Region = entity('Region', 'Region', {
  description: 'A region: one cluster, in which teams run applications.',
  read: visibleRegion,
  id: (row) => row.id,
  fields: (t) => ({
    uid: t.exposeID('id', {
      description: restName('Identifier of the region; `{ regionId }` in references.', 'region_id'),
    }),
    name: t.exposeString('name', { description: restName('Unique name.', 'region_name') }),
    alias: t.exposeString('alias', { description: restName('Name shown to people.', 'region_alias') }),
    url: t.exposeString('url', { description: 'Address of the API of the cluster.' }),
    websocketUrl: t.exposeString('websocketUrl', {
      description: restName('Address of its websocket.', 'wsurl'),
    }),
    httpDomain: t.exposeString('httpDomain', {
      description: restName('Root domain for HTTP access to applications.', 'httpdomain'),
    }),
    tcpDomain: t.exposeString('tcpDomain', {
      description: restName('Root domain for TCP access to applications.', 'tcpdomain'),
    }),
    status: t.field({
      type: RegionStatusEnum,
      description: 'Whether it takes changes.',
      columns: ['status'],
      resolve: (region) => region.status as RegionStatus,
    }),
    description: t.exposeString('description', { description: restName('What it is for.', 'desc') }),
    scope: t.field({
      type: RegionScopeEnum,
      description: 'Who sees the region, and who opens it for a team.',
      columns: ['scope'],
      resolve: (region) => region.scope as 'private',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    credentials: t.field({
      type: RegionCredentials,
      nullable: true,
      description: 'What the platform authenticates to the cluster with; null for all but administrators.',
      resolve: (region, _, context) => (administers(context.actor, region) ? region : null),
    }),
    usage: t.field({
      type: RegionUsage,
      nullable: true,
      description: 'Live figures; null with the error REGION_UNAVAILABLE when the cluster does not answer.',
      resolve: (region, _, context) => figuresOf(context, region),
    }),
    health: t.field({
      type: RegionHealth,
      description: restName('Whether the cluster answers.', 'health_status'),
      resolve: (region, _, context) => healthOf(context, region),
    }),
    enterprise: t.field({
      type: Enterprise,
      description: 'The enterprise of the region.',
      columns: ['enterpriseId'],
      resolve: async (region, _, context) => (await enterpriseById(context, region.enterpriseId))!,
    }),
    teams: connectionField(t, {
      node: Team,
      plural: 'teams',
      description: 'The teams for which it is opened, by name, as far as the caller may see them.',
      columns: ['id'],
      list: (region, _, context) => teamsOfRegion(context, region.id),
    }),
  }),
});

const RegionOrder = orderInput('Region', { NAME: 'Name.', CREATED_AT: 'Time of creation.' });

const listArgs = builder.args((t) => ({
  search: t.string({
    description: restName('Part of the name or alias, in any case.', 'query'),
    validate: { schema: search() } as never,
  }),
  status: t.field({ type: RegionStatusEnum, description: 'Only regions in this status.' }),
  orderBy: t.field({ type: RegionOrder, description: 'The order; by name when left out.' }),
}));

builder.queryField('region', (t) =>
  t.field({
    type: Region,
    nullable: true,
    description: 'A region that the caller may see. REST: `GET /regions/{region_id}`.',
    args: {
      by: t.arg({
        type: RegionRef,
        required: true,
        description: 'Which region.',
        validate: { schema: regionRef } as never,
      }),
    },
    resolve: (_, { by }, context) => requireRegion(context, by),
  }),
);

builder.objectField(Team, 'regions', (t) =>
  connectionField(t, {
    node: Region,
    plural: 'regions',
    description: 'The regions that are opened for the team, whatever their status.',
    args: listArgs,
    columns: ['id'],
    list: (team, args) => regionsOfTeam(team.id, args),
  }),
);

builder.objectField(Enterprise, 'regions', (t) =>
  connectionField(t, {
    node: Region,
    plural: 'regions',
    description: 'The regions of the enterprise that the caller may see.',
    args: listArgs,
    columns: ['id'],
    list: (enterprise, args, context) => regionsOfEnterprise(context, enterprise.id, args),
  }),
);

inputOf('RegionCredentialsInput', regionCredentials, 'What the platform authenticates to a cluster with.');

mutation('createRegion', {
  description: 'Creates a region. For administrators.',
  input: createRegion,
  run: async (context, input) => ({ region: await operations.createRegion(context, input) }),
  payload: (t) => ({ region: t.expose('region', { type: Region, description: 'The new region.' }) }),
});

mutation('openTeamRegion', {
  description:
    'Opens a region for a team. Requires the `admin` role in the team. Private regions are opened by enterprise administrators only.',
  input: openTeamRegion,
  run: operations.openTeamRegion,
  payload: (t) => ({
    team: t.expose('team', { type: Team, description: 'The team.' }),
    region: t.expose('region', { type: Region, description: 'The region.' }),
  }),
});
