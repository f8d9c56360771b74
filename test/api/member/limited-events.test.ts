import { beforeAll, describe, expect, it } from 'vitest';
import { type Place, unique } from '../../support/fixtures.ts';
import { apply } from '../../support/manifests.ts';
import { useTrellis } from '../../support/trellis.ts';
import { upgradesOf } from '../../support/upgrades.ts';

const trellis = useTrellis();
let place: Place;
let team: { teamId: string };
let own: { appId: number; name: string };
let hidden: { appId: number; name: string };
/** Of a member who is limited to `own`. */
let token: string;
let user: { email: string };
beforeAll(async () => {
  place = await trellis.createPlace();
  team = { teamId: place.team.teamId };
  own = await trellis.createApplication(place, unique('own'));
  hidden = await trellis.createApplication(place, unique('hidden'));
  const person = await trellis.createPerson();
  user = { email: person.email };
  const limited = { role: 'DEVELOPER', applications: [{ appId: own.appId }] };
  await trellis.succeed('addTeamMember', { team, user, ...limited }, '__typename');
  token = person.token;
});

interface Found {
  action: string;
  manifest: string | null;
  objectName: string | null;
  changes: { field: string; oldValue: unknown; newValue: unknown }[];
}

/** The events of the team with an action, newest first. */
async function eventsOf(action: string, by?: string): Promise<Found[]> {
  const { team: found } = await trellis.data(
    `{ team(by: { teamId: "${team.teamId}" }) { events(first: 100, action: "${action}") { nodes {
      action manifest objectName changes { field oldValue newValue } } } } }`,
    {},
    ...(by === undefined ? [] : [by]),
  );
  return found.events.nodes;
}

const fieldsOf = ([event]: Found[]) => event?.changes.map(({ field }) => field);
const partOf = (appId: number) => trellis.createComponent(appId, { name: unique('part') });
const refOf = ({ componentId }: { componentId: string }) => ({ componentId });

describe('the events that a limited member sees', () => {
  it('do not name the manifest of a hidden application', async () => {
    await apply(trellis, place, JSON.stringify({ application: own.name, isDefault: true }));
    await apply(trellis, place, JSON.stringify({ application: hidden.name, isDefault: true }));
    const manifestsOf = async (by?: string) =>
      (await eventsOf('application.update', by)).map(({ objectName, manifest }) => [objectName, manifest]);
    expect(await manifestsOf(token)).toEqual([
      [own.name, null],
      [own.name, own.name],
    ]);
    // Those who see all of the team are told whose manifest it was.
    expect(await manifestsOf()).toEqual([
      [hidden.name, hidden.name],
      [own.name, hidden.name],
      [own.name, own.name],
    ]);
  });

  it('do not refer to hidden components', async () => {
    const [part, other, secret] = [
      await partOf(own.appId),
      await partOf(own.appId),
      await partOf(hidden.appId),
    ];
    for (const dependency of [other, secret]) {
      const pair = { component: refOf(part), dependency: refOf(dependency) };
      await trellis.succeed('addDependency', pair, '__typename');
    }
    const added = await eventsOf('component.add_dependency', token);
    expect(added.map(({ changes }) => changes)).toEqual([
      [],
      [{ field: 'dependencyId', oldValue: null, newValue: other.componentId }],
    ]);
    await trellis.succeed('deleteComponent', { component: refOf(part) }, '__typename');
    expect(fieldsOf(await eventsOf('component.delete', token))).toContain('variables');
    expect(fieldsOf(await eventsOf('component.delete', token))).not.toContain('dependencies');
    expect(fieldsOf(await eventsOf('component.delete'))).toContain('dependencies');
  });

  it('do not say of which hidden component a volume has its data', async () => {
    const [part, secret] = [await partOf(own.appId), await partOf(hidden.appId)];
    for (const { componentId } of [part, secret]) {
      const { volume } = await trellis.succeed(
        'addVolume',
        { component: refOf(part), name: unique('data'), path: `/${componentId}`, type: 'local' },
        'volume { id uid: name }',
      );
      const source = JSON.stringify({ ...team, componentId, namespaceId: 0, snapshot: 'nightly' });
      const where = { componentId_name: { componentId: part.componentId, name: volume.uid } };
      await trellis.services.db.transaction((tx) => tx.volume.update({ where, data: { source } }));
      await trellis.succeed('deleteVolume', { volume: { id: volume.id } }, '__typename');
    }
    const sources = (found: Found[]) => found.map((event) => fieldsOf([event])?.includes('source'));
    expect(sources(await eventsOf('volume.delete', token))).toEqual([false, true]);
    expect(sources(await eventsOf('volume.delete'))).toEqual([true, true]);
  });

  it('do not refer to hidden applications', async () => {
    const { application: copy } = await trellis.succeed(
      'copyApplication',
      { application: { appId: hidden.appId }, name: unique('copy') },
      'application { appId: uid }',
    );
    const applications = [{ appId: own.appId }, { appId: copy.appId }];
    const limited = { team, user, role: 'DEVELOPER', applications };
    await trellis.succeed('changeTeamMemberRole', limited, '__typename');
    expect(fieldsOf(await eventsOf('application.copy', token))).toEqual(['secrets', 'volumes', 'components']);
    expect(fieldsOf(await eventsOf('application.copy'))).toContain('copyOfId');
    await trellis.succeed(
      'changeTeamMemberRole',
      { ...limited, applications: [{ appId: own.appId }] },
      '__typename',
    );
  });

  it('do not say to which hidden applications others are limited', async () => {
    const colleague = await trellis.createPerson();
    const limits = (...applications: { appId: number }[]) => ({
      team,
      user: { email: colleague.email },
      role: 'VIEWER',
      applications: applications.map(({ appId }) => ({ appId })),
    });
    await trellis.succeed('addTeamMember', limits(own), '__typename');
    expect(fieldsOf(await eventsOf('team.add_member', token))).toContain('applications');
    await trellis.succeed('changeTeamMemberRole', limits(own, hidden), '__typename');
    expect(fieldsOf(await eventsOf('team.change_member_role', token))).toEqual([]);
    expect(fieldsOf(await eventsOf('team.change_member_role'))).toEqual(['applications']);
  });

  it('do not say for which hidden objects tokens and trusts are', async () => {
    const { serviceAccount } = await trellis.succeed(
      'createServiceAccount',
      { team, name: unique('robot'), role: 'DEVELOPER' },
      'serviceAccount { serviceAccountId: uid }',
    );
    const secret = await partOf(hidden.appId);
    const trust = {
      issuer: 'https://ci.example',
      audience: 'trellis',
      claims: [{ name: 'sub', pattern: 'x' }],
    };
    const giving = [
      ['createAccessToken', 'access_token.create', { name: 'pipeline' }],
      ['addTrust', 'trust.add', trust],
    ] as const;
    for (const [name, action, input] of giving) {
      for (const where of [{ application: { appId: hidden.appId } }, { component: refOf(secret) }]) {
        const grants = [
          { actions: ['READ'], application: { appId: own.appId } },
          { actions: ['READ'], ...where },
        ];
        await trellis.succeed(name, { serviceAccount, ...input, grants }, '__typename');
        expect(fieldsOf(await eventsOf(action, token)), name).not.toContain('grants');
      }
      const grants = [{ actions: ['READ'], application: { appId: own.appId } }];
      await trellis.succeed(name, { serviceAccount, ...input, grants }, '__typename');
      expect(fieldsOf(await eventsOf(action, token)), name).toContain('grants');
    }
  });

  it('do not name a store from which only hidden applications were installed', async () => {
    const { installed } = upgradesOf(trellis);
    const { appId } = await installed(1, [() => {}]);
    const { application } = await trellis.data(
      `{ application(by: { appId: ${appId} }) { team { teamId: uid } region { regionId: uid } } }`,
    );
    const { appId: visible } = await trellis.createApplication(application);
    const limited = await trellis.createPerson();
    await trellis.succeed(
      'addTeamMember',
      {
        team: application.team,
        user: { email: limited.email },
        role: 'DEVELOPER',
        applications: [{ appId: visible }],
      },
      '__typename',
    );
    await trellis.succeed('deleteApplication', { application: { appId }, force: true }, '__typename');
    const namesOf = async (by?: string) =>
      (
        await trellis.data(
          `{ team(by: { teamId: "${application.team.teamId}" }) { events(first: 100, objectType: "StoreConnection") { nodes { action objectName } } } }`,
          {},
          ...(by === undefined ? [] : [by]),
        )
      ).team.events.nodes;
    expect(await namesOf(limited.token)).toEqual([]);
    expect(await namesOf()).toEqual([{ action: 'store_connection.delete', objectName: 'self' }]);
  });
});
