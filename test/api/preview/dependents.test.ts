import { beforeAll, describe, expect, it } from 'vitest';
import { unique } from '../../support/fixtures.ts';
import { open, previewed, tryOpen } from '../../support/previews.ts';
import { declaredWithRuns } from '../../support/schedules.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis({ drivers: [declaredWithRuns] });
let place: Awaited<ReturnType<typeof previewed>>;
/** Callers who may open previews of the application alone, by what they are. */
const tokens: Record<string, string> = {};
beforeAll(async () => {
  place = await previewed(trellis, '{ most: 20 }');
  const application = { appId: place.appId };
  const { email, token } = await trellis.createPerson();
  const member = { user: { email }, role: 'DEVELOPER', applications: [application] };
  const team = { teamId: place.team.teamId };
  await trellis.succeed('addTeamMember', { team, ...member }, '__typename');
  const grants = [{ actions: ['OPEN_PREVIEW'], application }];
  const { secret } = await trellis.succeed('createAccessToken', { name: 'previews', grants }, 'secret');
  Object.assign(tokens, { 'a limited member': token, 'a token for previews': secret });
});

const giving = (key: string, name: string, value = 'x') => ({
  application: { appId: place.appId },
  key,
  variables: [{ component: 'db', name, value, scope: 'CONNECTION' }],
});

/** Opens a preview whose database a component of another application depends on. */
async function shared(key: string): Promise<void> {
  const { preview } = await open(trellis, giving(key, 'DB_NAME', 'one'));
  const query = `{ application(by: { appId: ${preview.application.appId} }) { components { nodes { name uid } } } }`;
  const { nodes } = (await trellis.data(query)).application.components;
  const { uid } = nodes.find(({ name }: { name: string }) => name === 'db');
  const { appId } = await trellis.createApplication(place);
  const { componentId } = await trellis.createComponent(appId);
  const pair = { component: { componentId }, dependency: { componentId: uid } };
  await trellis.succeed('addDependency', pair, '__typename');
}

describe.each(['a limited member', 'a token for previews'])('a preview that is opened again by %s', (by) => {
  it('gives the components of others no new connection variable', async () => {
    const key = unique('pr');
    await shared(key);
    const before = await trellis.counts();
    for (const dryRun of [true, false]) {
      const refused = await tryOpen(trellis, { ...giving(key, 'DB_HOST'), dryRun }, tokens[by]);
      expect(refused).toMatchObject({ code: 'CONFLICT' });
      expect(refused.message).toContain(
        'depend on the component db and would get its new connection variable DB_HOST',
      );
    }
    expect(await trellis.counts()).toEqual(before);
    await open(trellis, giving(key, 'DB_NAME', 'two'), tokens[by]);
    await open(trellis, giving(key, 'DB_HOST'));
  });

  it('gives them to its own components', async () => {
    const key = unique('pr');
    await open(trellis, giving(key, 'DB_NAME'), tokens[by]);
    await open(trellis, giving(key, 'DB_HOST'), tokens[by]);
  });
});
