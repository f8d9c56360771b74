import { expect, it } from 'vitest';
import { unique } from '../../support/fixtures.ts';
import { tryPlan } from '../../support/manifests.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis({ bodyLimitBytes: 4 * 2 ** 20 });

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

it('a dry run does not tell how long a secret is to callers who may not read it', async () => {
  const place = await trellis.createAll();
  const { team, application, component } = place;
  const at = { component: { componentId: component.componentId } };
  const set = [{ name: 'PASSWORD', value: 'x'.repeat(40_000), isSecret: true }];
  await trellis.succeed('setVariables', { ...at, set }, '__typename');
  const content = 'x'.repeat(2 ** 20 - 60_000);
  const file = { name: 'file', path: '/file', type: 'config-file', fileContent: content };
  await trellis.succeed('addVolume', { ...at, ...file }, '__typename');
  const names = `{ application(by: { appId: ${application.appId} }) { name components { nodes { name } } } }`;
  const { name, components } = (await trellis.data(names)).application;
  const more = { name: 'MORE', value: 'x'.repeat(40_000) };
  const document = JSON.stringify({
    application: name,
    components: { [components.nodes[0].name]: { variables: { [more.name]: more.value } } },
  });

  const viewer = await trellis.createMember(team.teamId, 'VIEWER');
  const developer = await trellis.createMember(team.teamId, 'DEVELOPER');
  expect((await tryPlan(trellis, place, document, viewer)).plan?.changes).toHaveLength(1);
  expect((await tryPlan(trellis, place, document, developer)).error?.extensions.code).toBe('CONFLICT');

  const role = { name: unique('role'), actions: ['SET_VARIABLES'] };
  const { roleId } = (await trellis.succeed('createRole', role, 'role { roleId: uid }')).role;
  const person = await trellis.createPerson();
  const member = { team: { teamId: team.teamId }, user: { email: person.email }, customRole: { roleId } };
  await trellis.succeed('addTeamMember', member, '__typename');
  const setMore = (dryRun: boolean, { token }: { token: string }) =>
    trellis.attempt('setVariables', { ...at, set: [more], dryRun }, '__typename', token);
  expect((await setMore(true, person)).code).toBeUndefined();
  expect((await setMore(true, developer)).code).toBe('CONFLICT');
  expect((await setMore(false, person)).code).toBe('CONFLICT');
});
