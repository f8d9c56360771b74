import { z } from 'zod';
import { builder, restName } from '../../graphql/schema/builder.ts';
import { inputOf } from '../../graphql/schema/input.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { Team } from '../team/graphql.ts';
import { Region, RegionRef } from './graphql.ts';
import { maxResourcePairs, regionRef, setTeamQuota, teamRegionRef } from './model.ts';
import * as operations from './operations.ts';
import { requireTeamRegion } from './reads.ts';
import { percentage, resourcesOf, resourcesOfPairs, type TeamResources } from './usage.ts';

const TeamResourcesObject = builder.objectRef<TeamResources>('TeamResources').implement({
  description: 'What a team may use in a region, and what its deployed components request there.',
  fields: (t) => ({
    team: t.expose('team', { type: Team, description: 'The team.' }),
    region: t.expose('region', { type: Region, description: 'The region.' }),
    totalCpuMillicores: t.exposeInt('totalCpuMillicores', {
      description: restName('Quota in millicores, 1000 = 1 core; 0 is none.', 'total_cpu'),
    }),
    usedCpuMillicores: t.exposeFloat('usedCpuMillicores', {
      description: restName('Requested in millicores.', 'used_cpu'),
    }),
    usedCpuPercentage: t.float({
      description: restName(
        'Requested of the quota, in percent with two decimals; 0 without quota.',
        'used_cpu_percentage',
      ),
      resolve: (of) => percentage(of.usedCpuMillicores, of.totalCpuMillicores),
    }),
    totalMemoryMiB: t.exposeInt('totalMemoryMiB', {
      description: restName('Quota in MiB; 0 is none.', 'total_memory'),
    }),
    usedMemoryMiB: t.exposeFloat('usedMemoryMiB', {
      description: restName('Requested in MiB.', 'used_memory'),
    }),
    usedMemoryPercentage: t.float({
      description: restName(
        'Requested of the quota, in percent with two decimals; 0 without quota.',
        'used_memory_percentage',
      ),
      resolve: (of) => percentage(of.usedMemoryMiB, of.totalMemoryMiB),
    }),
  }),
});

mutation('setTeamQuota', {
  description:
    'Sets the quota of a team in a region. Changes that would take the deployed components of the team past it fail with `QuotaExceededError`. Requires an enterprise administrator.',
  input: setTeamQuota,
  run: async (context, input) => {
    const { team, region } = await operations.setTeamQuota(context, input);
    return { resources: (await resourcesOf(context, team, region))! };
  },
  payload: (t) => ({
    resources: t.expose('resources', {
      type: TeamResourcesObject,
      description: 'The quota, and what deployed components request of it.',
    }),
  }),
});

const TeamRegionRef = inputOf('TeamRegionRef', teamRegionRef, 'A team and a region.');

builder.objectField(Team, 'resources', (t) =>
  t.field({
    type: TeamResourcesObject,
    nullable: true,
    description: 'What the team may use and uses in a region; NOT_FOUND when it is not opened for the team.',
    args: {
      region: t.arg({
        type: RegionRef,
        required: true,
        description: 'Which region.',
        validate: { schema: regionRef } as never,
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
      'Resources of several teams and regions, in the order asked for. Pairs that do not exist or are not visible are left out, one asked for twice is answered once. REST: `POST /teams/resource`.',
    args: {
      of: t.arg({
        type: [TeamRegionRef],
        required: true,
        description: `The pairs, at most ${maxResourcePairs}.`,
        validate: { schema: z.array(teamRegionRef).max(maxResourcePairs) } as never,
      }),
    },
    resolve: (_, { of }, context) => resourcesOfPairs(context, of),
  }),
);
