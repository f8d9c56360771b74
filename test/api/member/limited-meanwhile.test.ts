import { beforeAll, describe, expect, it } from 'vitest';
import { type Place, unique } from '../../support/fixtures.ts';
import { meanwhile } from '../../support/meanwhile.ts';
import { ringTemplate } from '../../support/templates.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
let place: Place;
let own: { appId: number; componentId: string };
/** An application that the member no longer sees, with a domain and a dependency on a component of the own one. */
let hidden: { appId: number; componentId: string; domain: string; release: number };
const ring = ringTemplate(1);
const store = () => ({ url: trellis.url, domain: 'self', accessKey: trellis.adminToken });

async function createPart() {
  const { appId } = await trellis.createApplication(place);
  const { componentId } = await trellis.createComponent(appId, { name: 'web', deploy: true });
  await trellis.addPort(componentId, 8080);
  return { appId, componentId };
}

beforeAll(async () => {
  place = await trellis.createPlace();
  [own, hidden] = [
    await createPart(),
    { ...(await createPart()), domain: `${unique('www')}.example`, release: 0 },
  ];
  const { appId, componentId, domain } = hidden;
  const rule = { application: { appId }, component: { componentId }, portNumber: 8080, domain };
  await trellis.succeed('createHttpRule', rule, '__typename');
  const pair = { component: { componentId }, dependency: { componentId: own.componentId } };
  await trellis.succeed('addDependency', pair, '__typename');
  await trellis.succeed('updateApplication', { application: { appId }, isDefault: true }, '__typename');
  await trellis.succeed('publishTemplate', { template: ring.text }, '__typename');
  const install = { application: { appId }, store: store(), templateId: ring.key, version: ring.version };
  await trellis.succeed('installApplication', install, '__typename');
  const read = `{ component(by: { componentId: "${componentId}" }) { releases(first: 1) { nodes { uid } } } }`;
  hidden.release = (await trellis.data(read)).component.releases.nodes[0].uid;
});

const application = () => ({ appId: own.appId });
const component = () => ({ componentId: own.componentId });

/** Changes of the own application that need no other right than one for it, but are not allowed to those who have only that. */
const changes: Record<string, (token: string) => object> = {
  addDependency: () => ({ component: component(), dependency: { componentId: hidden.componentId } }),
  createComponent: () => ({
    ...{ application: application(), name: 'part', image: 'part:1' },
    dependencies: [{ componentId: hidden.componentId }],
  }),
  createHttpRule: () => ({
    ...{ application: application(), component: component(), portNumber: 8080 },
    ...{ domain: hidden.domain, path: '/taken' },
  }),
  installApplication: (token) => ({
    ...{ application: application(), templateId: ring.key, version: ring.version },
    store: { ...store(), accessKey: token },
  }),
  promoteRelease: () => ({ release: { releaseId: hidden.release }, to: application() }),
  setVariables: () => ({
    component: component(),
    set: [{ name: unique('V').toUpperCase(), value: 'x', scope: 'CONNECTION' }],
  }),
  updateApplication: () => ({ application: application(), isDefault: true }),
};

async function createDeveloper() {
  const { email, token } = await trellis.createPerson();
  const member = { team: { teamId: place.team.teamId }, user: { email }, role: 'DEVELOPER' };
  await trellis.succeed('addTeamMember', member, '__typename');
  const limit = { ...member, applications: [application()] };
  return { token, limit: () => trellis.succeed('changeTeamMemberRole', limit, '__typename') };
}

describe('a member who is limited to an application while a request waits', () => {
  it.each(Object.entries(changes))('changes nothing of others any more: %s', async (name, inputOf) => {
    const { token, limit } = await createDeveloper();
    const input = inputOf(token);
    const attempt = () => trellis.attempt(name, input, '__typename', token);
    let before: object | undefined;
    const limitFirst = async () => {
      await limit();
      before = await trellis.counts();
    };
    const { result } = await meanwhile(trellis, limitFirst, attempt);
    expect(result).toMatchObject({
      code: 'CONFLICT',
      message: 'Your rights changed at the same time. Try again.',
    });
    expect(await trellis.counts()).toEqual(before);
    // With an access key that replaces no other.
    if (name === 'installApplication') expect((await attempt()).code).toBeUndefined();
    else expect((await attempt()).code).toMatch(/NOT_FOUND|CONFLICT/);
  });

  it('still makes changes when only others are limited', async () => {
    const [{ token, limit }, other] = [await createDeveloper(), await createDeveloper()];
    await limit();
    const input = { application: application(), note: unique('note') };
    const update = () => trellis.attempt('updateApplication', input, '__typename', token);
    const { result, hasRun } = await meanwhile(trellis, other.limit, update);
    expect([hasRun, result.code]).toEqual([true, undefined]);
  });
});
