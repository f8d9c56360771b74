import { beforeAll, describe, expect, it } from 'vitest';
import type { Place } from '../../support/fixtures.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
let place: Place;
beforeAll(async () => {
  place = await trellis.createPlace();
});

const fields = 'name note principal governanceMode orderIndex isDefault logo';
const update = async (appId: number, input: object) =>
  (
    await trellis.succeed(
      'updateApplication',
      { application: { appId }, ...input },
      `application { ${fields} updatedAt }`,
    )
  ).application;

const eventsOf = async (appId: number) => {
  const { events } = await trellis.data(
    `{ events(objectType: "Application", objectUid: "${appId}") { nodes { action changes { field before: oldValue after: newValue } } } }`,
  );
  return events.nodes;
};

describe('updateApplication', () => {
  it('changes what is given and keeps the rest, and null removes what can be missing', async () => {
    const { appId, name } = await trellis.createApplication(place);
    const all = {
      note: 'A note',
      principal: 'Ada',
      governanceMode: 'KUBERNETES_NATIVE_SERVICE',
      orderIndex: 3,
      isDefault: false,
      logo: 'https://logo.example/a.png',
    };
    expect(await update(appId, all)).toMatchObject({ name, ...all });
    expect(await update(appId, { name: 'renamed' })).toMatchObject({ ...all, name: 'renamed' });
    const nothing = { note: null, principal: null, governanceMode: null, logo: null };
    expect(await update(appId, { ...nothing, name: null, orderIndex: null, isDefault: null })).toMatchObject({
      ...nothing,
      name: 'renamed',
      orderIndex: 3,
      isDefault: false,
    });
    const events = await eventsOf(appId);
    expect(events.map(({ action }: any) => action)).toEqual([
      'application.update',
      'application.update',
      'application.update',
      'application.create',
    ]);
    expect(events[1].changes).toEqual([{ field: 'name', before: name, after: 'renamed' }]);
    // A search finds the new name.
    const { team } = await trellis.data(
      `{ team(by: { teamId: "${place.team.teamId}" }) { applications(search: "RENAMED") { nodes { appId: uid } } } }`,
    );
    expect(team.applications.nodes).toEqual([{ appId }]);
  });

  it('records nothing if nothing changes', async () => {
    const { appId, name } = await trellis.createApplication(place);
    const before = await update(appId, {});
    const same = await update(appId, { name, orderIndex: 0, isDefault: false, note: null });
    expect(same).toEqual(before);
    expect(await eventsOf(appId)).toHaveLength(1);
  });

  it('refuses a name that another application of the team has in the region', async () => {
    const { appId } = await trellis.createApplication(place);
    const { name } = await trellis.createApplication(place);
    expect(await trellis.attempt('updateApplication', { application: { appId }, name })).toMatchObject({
      code: 'CONFLICT',
      message: `The team ${place.team.name} already has an application named ${name} in the region ${place.region.name}.`,
    });
    const elsewhere = await trellis.createApplication(await trellis.createPlace());
    await update(elsewhere.appId, { name });
  });

  it('keeps one default application, whatever is made the default at the same time', async () => {
    const applications = await Promise.all([1, 2, 3, 4].map(() => trellis.createApplication(place)));
    const results = await Promise.all(
      applications.map(({ appId }) =>
        trellis.attempt('updateApplication', { application: { appId }, isDefault: true }),
      ),
    );
    expect(results.map(({ __typename }) => __typename)).toEqual(Array(4).fill('UpdateApplicationPayload'));
    const defaults = async () => {
      const { team } = await trellis.data(
        `{ team(by: { teamId: "${place.team.teamId}" }) { applications(first: 100) { nodes { appId: uid isDefault } } } }`,
      );
      return team.applications.nodes.filter(({ isDefault }: any) => isDefault);
    };
    const [found, ...others] = await defaults();
    expect(others).toEqual([]);
    await update(found.appId, { isDefault: true });
    expect(await defaults()).toEqual([found]);
    await update(found.appId, { isDefault: false });
    expect(await defaults()).toEqual([]);
  });
});
