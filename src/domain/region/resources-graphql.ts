import { z } from 'zod';
import type { Row } from '../../db/tables.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { connectionField } from '../../graphql/schema/connection.ts';
import { property } from '../../graphql/schema/exposed.ts';
import { inputOf } from '../../graphql/schema/input.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { nullOnError } from '../../graphql/schema/null-on-error.ts';
import { objectType } from '../../graphql/schema/object-type.ts';
import { validatedBy } from '../../graphql/schema/validation.ts';
import { Team } from '../team/graphql.ts';
import { Region, RegionRef } from './graphql.ts';
import { teamsOfRegion } from './list-reads.ts';
import { maxResourcePairs, regionRef, setTeamQuota, teamRegionRef } from './model.ts';
import * as operations from './operations.ts';
import { loadRegion, requireTeamRegion } from './reads.ts';
import { percentage, resourcesOf, resourcesOfPairs, type TeamResources } from './usage-reads.ts';

const TeamResourcesObject = objectType<TeamResources>('TeamResources', {
  description: 'The quota of a team in a region, and the resources that its deployed components request.',
  exposes: {
    'totalCpuMillicores: Int!':
      'The CPU quota, in millicores (1000 = 1 core). 0 means no quota. REST: `total_cpu`.',
    'usedCpuMillicores: Float!': 'The requested CPU, in millicores (1000 = 1 core). REST: `used_cpu`.',
    'totalMemoryMiB: Int!': 'The memory quota, in MiB. 0 means no quota. REST: `total_memory`.',
    'usedMemoryMiB: Float!': 'The requested memory, in MiB. REST: `used_memory`.',
    'revision: Int!':
      'The revision of the quota: 1 when the region is opened for the team, and one higher after each change.',
    team: property(Team, 'The team.'),
    region: property(Region, 'The region.'),
  },
  fields: (t) => ({
    usedCpuPercentage: t.float({
      description:
        'The requested share of the quota, in percent with two decimals. 0 if there is no quota. REST: `used_cpu_percentage`.',
      resolve: (of) => percentage(of.usedCpuMillicores, of.totalCpuMillicores),
    }),
    usedMemoryPercentage: t.float({
      description:
        'The requested share of the quota, in percent with two decimals. 0 if there is no quota. REST: `used_memory_percentage`.',
      resolve: (of) => percentage(of.usedMemoryMiB, of.totalMemoryMiB),
    }),
  }),
});

builder.objectField(Region, 'teams', (t) =>
  connectionField<Pick<Row<'Region'>, 'id'>, 'Team', Row<'Team'>>(t.using('id'), {
    node: Team,
    plural: 'teams',
    description:
      'The teams that the region is open for and that are visible to the caller, sorted by name. Each edge has the quota and usage of its team.',
    relation: {
      name: 'RegionTeam',
      fields: (edge) => ({
        resources: edge.field({
          type: TeamResourcesObject,
          nullable: true,
          description:
            'The quota and usage of the team in the region. Null if the region has since been closed for the team.',
          resolve: async ({ list, node }, _, context) =>
            resourcesOf(context, node, await loadRegion(context, String(list.key))),
        }),
      }),
    },
    list: (region, _, context) => teamsOfRegion(context, region.id),
  }),
);

mutation('setTeamQuota', setTeamQuota, operations.setTeamQuota, {
  description:
    'Sets the quota of a team in a region. Later changes that would exceed it fail with QUOTA_EXCEEDED. Idempotent.',
  load: async (context, { team, region }) => ({ resources: (await resourcesOf(context, team, region))! }),
  payload: {
    resources: property(
      TeamResourcesObject,
      'The quota, and the resources that deployed components request.',
    ),
  },
});

const TeamRegionRef = inputOf('TeamRegionRef', teamRegionRef, 'Identifies a team and a region.');

builder.objectField(Team, 'resources', (t) =>
  t.field({
    type: TeamResourcesObject,
    ...nullOnError,
    description:
      'The quota and usage of the team in a region. Fails with NOT_FOUND if the region is not open for the team.',
    args: {
      region: t.arg({
        type: RegionRef,
        required: true,
        description: 'The region.',
        validate: validatedBy(regionRef),
      }),
    },
    resolve: async (team, args, context) =>
      resourcesOf(context, team, await requireTeamRegion(context, team, args.region)),
  }),
);

builder.queryField('teamResources', (t) =>
  t.field({
    type: [TeamResourcesObject],
    description:
      'The quotas and usage of teams in regions, in the order of `of`. Pairs that do not exist or are not visible to the caller are omitted, and duplicates are returned once. REST: `POST /teams/resource`.',
    args: {
      of: t.arg({
        type: [TeamRegionRef],
        required: true,
        description: `The pairs of a team and a region, at most ${maxResourcePairs}.`,
        validate: validatedBy(z.array(teamRegionRef).max(maxResourcePairs)),
      }),
    },
    resolve: (_, { of }, context) => resourcesOfPairs(context, of),
  }),
);
