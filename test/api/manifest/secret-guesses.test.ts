import { expect, it } from 'vitest';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

it('a plan does not tell a viewer whether the value of a secret is guessed', async () => {
  const { team, region, application, component } = await trellis.createAll();
  const { componentId } = component;
  const set = [
    { name: 'PASSWORD', value: 'right', isSecret: true },
    { name: 'MODE', value: 'right' },
  ];
  await trellis.succeed('setVariables', { component: { componentId }, set }, '__typename');
  const names = `{ application(by: { appId: ${application.appId} }) { name components { nodes { name } } } }`;
  const { name, components } = (await trellis.data(names)).application;
  const plan = async (role: string, variables: string) => {
    const { token } = await trellis.createMember(team.teamId, role);
    const document = `application: ${name}\ncomponents: { ${components.nodes[0].name}: { variables: { ${variables} } } }\n`;
    const query =
      'query($team: TeamRef!, $region: RegionRef!, $document: String!) { planManifest(team: $team, region: $region, document: $document) { changes { object name fields { field before after } } } }';
    const place = { team: { teamId: team.teamId }, region: { name: region.name } };
    return (await trellis.data(query, { ...place, document }, token)).planManifest.changes;
  };
  const change = [{ object: 'VARIABLE', name: 'PASSWORD' }];
  for (const guess of ['right', 'wrong']) {
    expect(await plan('VIEWER', `PASSWORD: ${guess}`)).toMatchObject(change);
  }
  expect(await plan('DEVELOPER', 'PASSWORD: right')).toEqual([]);
  expect(await plan('VIEWER', 'MODE: right')).toEqual([]);
});
