import { beforeAll, expect, it } from 'vitest';
import { send } from '../support/send.ts';
import { useTrellis } from '../support/trellis.ts';

/** Enough for five of the answers at once, of which those of one caller may take half. */
const trellis = useTrellis({ limits: { answersBytes: 128 * 2 ** 20 } });
const objects = 100;
let teamId: string;
beforeAll(async () => {
  const place = await trellis.createPlace();
  ({ teamId } = place.team);
  const components = Array.from({ length: objects }, (_, index) => `  c${index}: { image: nginx }\n`);
  const document = `application: Large\ncomponents:\n${components.join('')}`;
  await trellis.succeed(
    'applyManifest',
    { team: { teamId }, region: { regionId: place.region.regionId }, document },
    '__typename',
  );
});

it('large answers that a caller asks for at once are made one after the other, so that none is refused', async () => {
  const { token } = await trellis.createMember(teamId, 'VIEWER');
  const aliases = Array.from({ length: 100 }, (_, index) => `a${index}: team { id }`).join(' ');
  const query = `query ($team: TeamRef!) { team(by: $team) { components(first: ${objects}) { nodes { ${aliases} } } } }`;
  const body = JSON.stringify({ query, variables: { team: { teamId } } });
  const answers = await Promise.all(Array.from({ length: 12 }, () => send(trellis, { body, token })));
  for (const { body: answer } of answers) {
    expect(answer.errors).toBeUndefined();
    expect(Object.keys(answer.data.team.components.nodes.at(-1))).toHaveLength(100);
  }
});
