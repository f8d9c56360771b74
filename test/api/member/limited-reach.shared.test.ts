import { beforeAll, describe, expect, it } from 'vitest';
import { type Place, unique } from '../../support/fixtures.ts';
import { apply, tryApply } from '../../support/manifests.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
let place: Place;
let own: { appId: number; name: string };
/** Of a member who is limited to `own`. */
let token: string;
beforeAll(async () => {
  place = await trellis.createPlace();
  own = await trellis.createApplication(place, unique('own'));
  const person = await trellis.createPerson();
  const limited = { role: 'DEVELOPER', applications: [{ appId: own.appId }] };
  const team = { teamId: place.team.teamId };
  await trellis.succeed('addTeamMember', { team, user: { email: person.email }, ...limited }, '__typename');
  token = person.token;
});

type Part = { componentId: string; name: string };
const refOf = ({ componentId }: Part) => ({ componentId });

async function createPart(appId: number): Promise<Part> {
  const name = unique('part');
  const { componentId } = await trellis.createComponent(appId, { name, alias: name });
  return { componentId, name };
}

const depend = (component: Part, dependency: Part) =>
  trellis.succeed(
    'addDependency',
    { component: refOf(component), dependency: refOf(dependency) },
    '__typename',
  );

describe('a component of others that depends on one of a limited member', () => {
  let provider: Part;
  let hidden: Part;
  beforeAll(async () => {
    provider = await createPart(own.appId);
    const { appId } = await trellis.createApplication(place);
    hidden = await createPart(appId);
    const variable = { name: 'CACHE_URL', value: 'redis://cache', scope: 'CONNECTION' };
    await trellis.succeed('setVariables', { component: refOf(provider), set: [variable] }, '__typename');
    await trellis.addPort(provider.componentId, 6379, { protocol: 'TCP', alias: 'CACHE', isInner: true });
    await trellis.addPort(provider.componentId, 80, { alias: 'WEB' });
    await depend(hidden, provider);
  });

  const connection = (name: string, value = 'x') => ({ name, value, scope: 'CONNECTION' });
  const portAt = (number: number) => ({ port: { at: { component: refOf(provider), number } } });
  const document = (entry: object) =>
    JSON.stringify({ application: own.name, components: { [provider.name]: entry } });
  const provided = () => ({ component: refOf(provider) });

  /** What gives the dependents a variable that they did not get, by its name. */
  const giving: [string, string, (by?: string) => Promise<any>][] = [
    [
      'a connection variable',
      'DB_HOST',
      (by) =>
        trellis.attempt('setVariables', { ...provided(), set: [connection('DB_HOST')] }, '__typename', by),
    ],
    [
      'a connection variable of a manifest',
      'NODE_OPTIONS',
      (by) => tryApply(trellis, place, document({ connectionVariables: { NODE_OPTIONS: 'x' } }), {}, by),
    ],
    [
      'a new port that is open inside',
      'DATABASE_HOST',
      (by) =>
        trellis.attempt(
          'addPort',
          { ...provided(), number: 5432, protocol: 'TCP', alias: 'DATABASE', isInner: true },
          '__typename',
          by,
        ),
    ],
    [
      'a port that is opened inside',
      'WEB_HOST',
      (by) => trellis.attempt('openInnerService', portAt(80), '__typename', by),
    ],
    [
      'the alias of a port that is open inside',
      'QUEUE_HOST',
      (by) => trellis.attempt('changePortAlias', { ...portAt(6379), alias: 'QUEUE' }, '__typename', by),
    ],
    [
      'a port of a manifest',
      'MORE_HOST',
      (by) =>
        tryApply(
          trellis,
          place,
          document({ ports: { 81: { protocol: 'http', alias: 'MORE', isInner: true } } }),
          {},
          by,
        ),
    ],
    [
      'a port that a manifest opens inside',
      'LATE_HOST',
      async (by) => {
        const name = document({ ports: { 82: { protocol: 'http', alias: 'LATE', isInner: false } } });
        await apply(trellis, place, name);
        return tryApply(trellis, place, name.replace('false', 'true'), {}, by);
      },
    ],
  ];

  it.each(giving)('gets no new variable by %s', async (_, name, give) => {
    const before = await trellis.counts();
    const refused = await give(token);
    expect(refused).toMatchObject({ code: 'CONFLICT' });
    expect(refused.message).toContain(
      `Components that you cannot change depend on the component ${provider.name} and would get its new connection variable ${name}. Ask`,
    );
    expect(refused.message).not.toContain(hidden.name);
    if (!_.includes('manifest opens')) expect(await trellis.counts()).toEqual(before);
    // Who may change all of the team gives them.
    const developer = await trellis.createMember(place.team.teamId, 'DEVELOPER');
    expect((await give(developer.token)).code).toBeUndefined();
  });

  it('gets the values of those that it has', async () => {
    const set = [connection('CACHE_URL', 'redis://other'), { name: 'DEBUG', value: '1' }];
    await trellis.succeed('setVariables', { ...provided(), set }, '__typename', token);
    const entry = { connectionVariables: { CACHE_URL: 'redis://third' }, variables: { DEBUG: '2' } };
    await apply(trellis, place, document(entry), {}, token);
    await trellis.succeed('closeInnerService', portAt(6379), '__typename', token);
    const closed = {
      ...provided(),
      number: 8443,
      protocol: 'TCP',
      alias: unique('closed').toUpperCase().replaceAll('-', '_'),
    };
    await trellis.succeed('addPort', closed, '__typename', token);
    const free = await createPart(own.appId);
    const own2 = await createPart(own.appId);
    await depend(own2, free);
    const input = { component: refOf(free), set: [connection('ANY')] };
    await trellis.succeed('setVariables', input, '__typename', token);
  });

  it('is not given so much that it could not be deployed', async () => {
    const large = connection('CACHE_URL', 'x'.repeat(65_536));
    const by = {
      mutation: () => trellis.attempt('setVariables', { ...provided(), set: [large] }, '__typename', token),
      manifest: () =>
        tryApply(trellis, place, document({ connectionVariables: { CACHE_URL: large.value } }), {}, token),
    };
    const before = await trellis.counts();
    for (const [kind, grow] of Object.entries(by)) {
      const refused = await grow();
      expect([kind, refused]).toMatchObject([kind, { code: 'CONFLICT' }]);
      expect(refused.message).toContain(
        `Components that you cannot change depend on the component ${provider.name}, whose connection variables can therefore have at most 64 KiB. Ask`,
      );
      expect(refused.message).not.toContain(hidden.name);
    }
    expect(await trellis.counts()).toEqual(before);
    const shorter = [connection('CACHE_URL', 'x'.repeat(60_000))];
    await trellis.succeed('setVariables', { ...provided(), set: shorter }, '__typename', token);
    const developer = await trellis.createMember(place.team.teamId, 'DEVELOPER');
    await trellis.succeed('setVariables', { ...provided(), set: [large] }, '__typename', developer.token);
    // What is large already can shrink, and other variables can change.
    const plain = [{ name: 'LEVEL', value: 'y'.repeat(60_000) }];
    await trellis.succeed('setVariables', { ...provided(), set: plain }, '__typename', token);
    await trellis.succeed(
      'setVariables',
      { ...provided(), set: [connection('CACHE_URL')] },
      '__typename',
      token,
    );
  });

  it('is decided by a token for all of the team that has the action alone', async () => {
    const grants = [{ actions: ['SET_VARIABLES'], team: { teamId: place.team.teamId } }];
    const { secret } = await trellis.succeed('createAccessToken', { name: 'variables', grants }, 'secret');
    const input = { ...provided(), set: [connection(unique('V').replaceAll('-', '_'))] };
    await trellis.succeed('setVariables', input, '__typename', secret);
  });
});

describe('the namespace of a team', () => {
  it('is joined by those who may change all applications of the team', async () => {
    const isolate = (isolation: string, by?: string) =>
      trellis.attempt(
        'updateApplication',
        { application: { appId: own.appId }, isolation },
        'application { isolation }',
        by,
      );
    expect(await isolate('TEAM', token)).toMatchObject({
      code: 'FORBIDDEN',
      message: `Moving the application into the namespace of the team ${place.team.name} requires the right to change all applications of the team.`,
    });
    const developer = await trellis.createMember(place.team.teamId, 'DEVELOPER');
    expect(await isolate('TEAM', developer.token)).toMatchObject({ application: { isolation: 'TEAM' } });
    expect(await isolate('TEAM', token)).toMatchObject({ application: { isolation: 'TEAM' } });
    expect(await isolate('OWN', token)).toMatchObject({ application: { isolation: 'OWN' } });
  });
});
