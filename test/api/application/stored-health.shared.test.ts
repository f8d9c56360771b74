import { expect, it } from 'vitest';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

it('the health of applications in regions without a cluster is found without reading their components', async () => {
  const place = await trellis.createPlace();
  const { appId } = await trellis.createApplication(place);
  await trellis.createComponent(appId, { deploy: true });
  trellis.statements.length = 0;
  const { team } = await trellis.data(
    `query ($team: TeamRef!) { team(by: $team) {
      sound: applications(hasProblems: false) { nodes { appId: uid } }
      troubled: applications(hasProblems: true) { nodes { appId: uid } }
    } }`,
    { team: { teamId: place.team.teamId } },
  );
  expect(team).toEqual({ sound: { nodes: [{ appId }] }, troubled: { nodes: [] } });
  expect(trellis.statements.filter((text) => text.includes('FROM "component"'))).toEqual([]);
});
