import { z } from 'zod';
import { line } from '../../kernel/validate.ts';
import { type Route, route } from '../../rest/route.ts';
import { body, described, fieldsOf, view } from '../../rest/view.ts';
import { teamNamed } from '../team/rest.ts';
import { maxResourcePairs } from './model.ts';
import { regionNamed } from './rest.ts';
import { percentage, resourcesOfPairs, type TeamResources } from './usage-reads.ts';

const field = fieldsOf<TeamResources>();

const resources = view(
  'TeamAppsResource',
  'The quota of a team in a region, and the resources that its deployed components request.',
  {
    total_cpu: field(
      z.int(),
      'The CPU quota, in millicores (1000 = 1 core). 0 means no quota.',
      16_000,
      (of) => of.totalCpuMillicores,
    ),
    total_memory: field(
      z.int(),
      'The memory quota, in MiB. 0 means no quota.',
      32_768,
      (of) => of.totalMemoryMiB,
    ),
    used_cpu: field(
      z.int(),
      'The CPU that deployed components request, in millicores (1000 = 1 core).',
      2_000,
      (of) => of.usedCpuMillicores,
    ),
    used_memory: field(
      z.int(),
      'The memory that deployed components request, in MiB.',
      4_096,
      (of) => of.usedMemoryMiB,
    ),
    used_cpu_percentage: field(
      z.number(),
      'The requested share of the quota, in percent with two decimals. 0 if there is no quota.',
      12.5,
      (of) => percentage(of.usedCpuMillicores, of.totalCpuMillicores),
    ),
    used_memory_percentage: field(
      z.number(),
      'The requested share of the quota, in percent with two decimals. 0 if there is no quota.',
      12.5,
      (of) => percentage(of.usedMemoryMiB, of.totalMemoryMiB),
    ),
    team_id: field(z.string(), 'The id of the team.', '6b1f0a3c5d7e49f08a2b4c6d8e0f1a2b', (of) => of.team.id),
    team_name: field(z.string(), 'The name of the team.', 'retail', (of) => of.team.name),
    team_alias: field(z.string(), 'The display name of the team.', 'Retail', (of) => of.team.alias),
  },
);

const pairs = body(
  'TeamRegions',
  `The pairs of a team and a region, at most ${maxResourcePairs}.`,
  z
    .array(
      z.strictObject({
        tenant_id: described(line(300), 'The id or name of the team. An id takes precedence.', 'retail'),
        region_name: described(
          line(300),
          'The name or id of the region. A name takes precedence.',
          'eu-central',
        ),
      }),
    )
    .max(maxResourcePairs),
);

export const resourceRoutes: Route[] = [
  route('post /teams/resource', {
    operationId: 'listTeamResources',
    tag: 'Teams',
    summary: 'Team resource statistics',
    description:
      'What teams may use in regions, and use there, in the order asked for. Pairs that do not exist or that the caller may not see are left out; one that is asked for twice is answered once.',
    body: pairs,
    answer: z.array(resources.schema),
    run: async (context, { body: asked }) => {
      const refs = await Promise.all(
        asked.map(async (pair) => ({
          team: await teamNamed(context, pair.tenant_id),
          region: await regionNamed(context, pair.region_name),
        })),
      );
      return resources.all(context, await resourcesOfPairs(context, refs));
    },
  }),
];
