import { expect, it } from 'vitest';
import { planOf } from '../../support/plan.ts';
import { databaseKind, useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
it('what components request is summed up from an index', async () => {
  const place = await trellis.createPlace();
  const { appId } = await trellis.createApplication(place);
  await trellis.createComponent(appId, { deploy: true, replicas: 2, cpuMillicores: 300 });
  const region = { regionId: place.region.regionId };
  trellis.statements.length = 0;
  const found = await trellis.data(
    `query ($region: RegionRef!, $of: [TeamRegionRef!]!) {
      region(by: $region) { usage { usedCpuCores } }
      teamResources(of: $of) { usedCpuMillicores }
    }`,
    { region, of: [{ team: { teamId: place.team.teamId }, region }] },
  );
  expect(found).toEqual({
    region: { usage: { usedCpuCores: 0.6 } },
    teamResources: [{ usedCpuMillicores: 600 }],
  });
  const plans = await Promise.all(
    trellis.statements.filter((text) => text.includes('sum(')).map((text) => planOf(trellis, text)),
  );
  expect(plans).toHaveLength(2);
  expect(plans.join('\n')).toContain('component_requests_by_region');
  // On Postgres, a table with one row says nothing about which index of a team is read.
  if (databaseKind === 'sqlite')
    expect(plans.join('\n')).toContain('COVERING INDEX component_requests_by_team');
});
