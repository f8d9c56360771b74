import { expect, it } from 'vitest';
import { type Place, unique } from '../../support/fixtures.ts';
import { tryPlan } from '../../support/manifests.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

async function createTarget(place: Place) {
  const application = await trellis.createApplication(place, unique('app'));
  const name = unique('part');
  const { componentId } = await trellis.createComponent(application.appId, { name, alias: name });
  await trellis.addPort(componentId, 5432, { protocol: 'TCP' });
  return { ...application, component: name, componentId };
}

type Target = Awaited<ReturnType<typeof createTarget>>;

it('does not tell where rules are that the caller does not see', async () => {
  const place = await trellis.createPlace();
  const [own, hidden] = [await createTarget(place), await createTarget(place)];
  const { email, token } = await trellis.createPerson();
  const team = { teamId: place.team.teamId };
  const limited = { user: { email }, role: 'DEVELOPER', applications: [{ appId: own.appId }] };
  await trellis.succeed('addTeamMember', { team, ...limited }, '__typename');
  const create = ({ appId, componentId }: Target, endpoint: string, by?: string) => {
    const input = { application: { appId }, component: { componentId }, portNumber: 5432, endpoint };
    return trellis.attempt('createTcpRule', input, 'rule { tcpRuleId: uid }', by);
  };
  const plan = async (endpoint: string, by?: string) => {
    const routes = [{ endpoint, component: own.component, port: 5432 }];
    const document = JSON.stringify({ application: own.name, routes });
    return (await tryPlan(trellis, place, document, by === undefined ? {} : { token: by })).error?.message;
  };
  await create(hidden, '192.0.2.77:31000');
  await create(own, '192.0.2.78:31001');
  const { rule } = await create(own, '192.0.2.79:31002');
  const [taken, ofOwn] = ['0.0.0.0:31000', '0.0.0.0:31001'];
  const update = { rule: { tcpRuleId: rule.tcpRuleId }, endpoint: taken };
  const messages = [
    (await create(own, taken, token)).message,
    (await trellis.attempt('updateTcpRule', update, '__typename', token)).message,
    await plan(taken, token),
  ];
  for (const message of messages) {
    expect(message).toContain(`${taken} is already in use`);
    expect(message).toContain('by a rule that is not visible to you.');
    expect(message).not.toContain('192.0.2.77');
  }
  // Of rules that the caller sees, and for those who see all of them.
  expect((await create(own, ofOwn, token)).message).toContain('by a rule on 192.0.2.78:31001.');
  expect(await plan(ofOwn, token)).toContain(`by a rule of the application ${own.name} on 192.0.2.78:31001.`);
  expect((await create(own, taken)).message).toContain('by a rule on 192.0.2.77:31000.');
  expect(await plan(taken)).toContain(`by a rule of the application ${hidden.name} on 192.0.2.77:31000.`);
});
