import { beforeAll, describe, expect, it } from 'vitest';
import { change } from '../../../src/db/write/change.ts';
import { insertJob } from '../../../src/domain/job/rows.ts';
import { type Place, unique } from '../../support/fixtures.ts';
import { administratorContext } from '../../support/jobs.ts';
import { loadedKeys } from '../../support/loaded-keys.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
let place: Place;
let own: { appId: number; componentId: string };
let other: { appId: number; componentId: string };
beforeAll(async () => {
  place = await trellis.createPlace();
  const make = async () => {
    const { appId } = await trellis.createApplication(place);
    return { appId, componentId: (await trellis.createComponent(appId)).componentId };
  };
  [own, other] = [await make(), await make()];
});

const team = () => ({ teamId: place.team.teamId });

async function limitedMember(role = 'DEVELOPER', applications: object[] = [{ appId: own.appId }]) {
  const person = await trellis.createPerson();
  const input = { team: team(), user: { email: person.email }, role, applications };
  await trellis.succeed('addTeamMember', input, '__typename');
  return person;
}

const describing = (componentId: string) => ({ component: { componentId }, description: unique('text') });

describe('a member who is limited to applications', () => {
  it('acts in them, and finds no others', async () => {
    const { token } = await limitedMember();
    await trellis.succeed('updateComponent', describing(own.componentId), '__typename', token);
    await trellis.succeed(
      'createComponent',
      { application: { appId: own.appId }, name: 'y', image: 'y:1' },
      '__typename',
      token,
    );
    expect(
      await trellis.attempt('updateComponent', describing(other.componentId), '__typename', token),
    ).toMatchObject({ code: 'NOT_FOUND', message: 'There is no such component.' });
    const creating = { team: team(), region: { name: place.region.name }, name: unique('app') };
    expect(await trellis.attempt('createApplication', creating, '__typename', token)).toMatchObject({
      code: 'FORBIDDEN',
      message: `This requires the developer role in the team ${place.team.name}, in all of its applications.`,
    });
    const adding = {
      component: { componentId: own.componentId },
      dependency: { componentId: other.componentId },
    };
    expect((await trellis.attempt('addDependency', adding, '__typename', token)).code).toBe('NOT_FOUND');
  });

  it('plans and applies manifests of them alone', async () => {
    const { token } = await limitedMember();
    const [mine, theirs] = await Promise.all(
      [own, other].map(
        async ({ appId }) =>
          (await trellis.data(`{ application(by: { appId: ${appId} }) { name } }`)).application.name,
      ),
    );
    const input = (name: string, more = '') => ({
      team: team(),
      region: { name: place.region.name },
      document: `application: ${name}\nnote: ${unique('note')}\n${more}`,
    });
    await trellis.succeed('applyManifest', input(mine), '__typename', token);
    expect((await trellis.attempt('applyManifest', input(theirs), '__typename', token)).code).toBe(
      'NOT_FOUND',
    );
    expect((await trellis.attempt('applyManifest', input(unique('new')), '__typename', token)).code).toBe(
      'FORBIDDEN',
    );
    const { nodes } = (
      await trellis.data(`{ application(by: { appId: ${other.appId} }) { components { nodes { name } } } }`)
    ).application.components;
    const depending = `components: { z: { image: "z:1", dependsOn: [{ application: ${theirs}, component: ${nodes[0].name} }] } }\n`;
    const refused = await trellis.attempt('applyManifest', input(mine, depending), '__typename', token);
    const absent = depending.replace(nodes[0].name, 'nothing');
    const missing = await trellis.attempt('applyManifest', input(mine, absent), '__typename', token);
    expect(refused.code).toBe('INVALID_INPUT');
    expect(refused.issues[0].message.replace(nodes[0].name, '')).toBe(
      missing.issues[0].message.replace('nothing', ''),
    );
  });

  it('plans and applies without the names of hidden components that its own depend on', async () => {
    const { token } = await limitedMember();
    const nameOf = async ({ appId }: typeof own) =>
      (await trellis.data(`{ application(by: { appId: ${appId} }) { name } }`)).application.name;
    const hidden = unique('hidden');
    await trellis.createComponent(other.appId, { name: hidden, alias: hidden });
    const name = unique('part');
    const at = { team: team(), region: { name: place.region.name } };
    const document = async (dependsOn: object[]) =>
      JSON.stringify({
        application: await nameOf(own),
        components: { [name]: { image: 'nginx:1.29', dependsOn } },
      });
    const depending = await document([{ application: await nameOf(other), component: hidden }]);
    await trellis.succeed('applyManifest', { ...at, document: depending }, '__typename');
    const without = await document([]);
    const objects = 'object component name';
    const planned = async (prune: string, by?: string) =>
      (
        await trellis.data(
          `query ($team: TeamRef!, $region: RegionRef!, $document: String!) {
            planManifest(team: $team, region: $region, document: $document, prune: ${prune}) {
              changes { ${objects} } leftOver { ${objects} }
            }
          }`,
          { ...at, document: without },
          by,
        )
      ).planManifest;
    const dependency = { object: 'DEPENDENCY', component: name, name: hidden };
    const left = (plan: { leftOver: object[] }) =>
      plan.leftOver.filter((each: any) => each.component === name);
    expect(left(await planned('NONE'))).toEqual([dependency]);
    expect((await planned('OWNED')).changes).toContainEqual(dependency);
    expect(left(await planned('NONE', token))).toEqual([]);
    expect(JSON.stringify(await planned('OWNED', token))).not.toContain(hidden);
    const applying = { ...at, document: without, prune: 'NONE' };
    await trellis.succeed('applyManifest', applying, '__typename', token);
    expect((await planned('OWNED')).changes).toContainEqual(dependency);
  });

  it('publishes templates of its own, and no versions of those that other applications have', async () => {
    const { token } = await limitedMember();
    const publishing = (appId: number, more: object = {}) => ({
      application: { appId },
      version: '1.0.0',
      ...more,
    });
    const returned = 'template { templateId: uid }';
    const { template } = await trellis.succeed('publishApplication', publishing(other.appId), returned);
    for (const version of ['1.0.0', '2.0.0']) {
      const input = publishing(own.appId, { template, version });
      const refused = await trellis.attempt('publishApplication', input, '__typename', token);
      expect(refused).toMatchObject({ code: 'FORBIDDEN' });
    }
    await trellis.succeed('publishApplication', publishing(own.appId), '__typename', token);
  });

  it('is told how many hidden components depend on its own, and of none of them', async () => {
    const { token } = await limitedMember();
    const { appId } = own;
    const alias = unique('mine');
    const { componentId } = await trellis.createComponent(appId, { name: alias, alias });
    const hidden = unique('hidden');
    const dependent = { name: hidden, alias: hidden, dependencies: [{ componentId }] };
    const { componentId: hiddenId } = await trellis.createComponent(other.appId, dependent);
    const component = { componentId };
    const asked = (name: string, input: object, by?: string) =>
      trellis.attempt(name, input, '__typename', by);
    const counted = '1 that is not visible to you';
    const document = async (more: string) => {
      const { application } = await trellis.data(`{ application(by: { appId: ${appId} }) { name } }`);
      const input = { team: team(), region: { name: place.region.name }, allowsDestruction: true };
      return { ...input, document: `application: ${application.name}\n${more}`, prune: 'OWNED' };
    };
    await trellis.succeed('applyManifest', await document(`components: { ${alias}: {} }`), '__typename');
    const pruned = await document('components: {}');
    const refused: [string, object][] = [
      ['deleteComponent', { component }],
      ['deleteApplication', { application: { appId } }],
      ['applyManifest', pruned],
    ];
    for (const [name, input] of refused) {
      const { code, message } = await asked(name, input, token);
      expect([name, code, message]).toEqual([name, 'CONFLICT', expect.stringContaining(counted)]);
      expect(message).not.toContain(hidden);
      expect((await asked(name, input)).message).toContain(hidden);
    }
    const deploying = { component: { componentId: hiddenId } };
    await trellis.succeed('deployComponent', deploying, '__typename');
    await trellis.succeed('deployComponent', { component }, '__typename');
    const stopped = await asked('stopComponent', { component }, token);
    expect(stopped.message).toBe(
      `Deployed components depend on the component ${alias}: ${counted}. Stop them first, or set \`force\` to stop anyway.`,
    );
    const forced = { component, force: true, dryRun: true };
    const planOf = async (by?: string) =>
      (await trellis.succeed('deleteComponent', forced, 'plan { objectUid }', by)).plan.map(
        ({ objectUid }: { objectUid: string }) => objectUid,
      );
    expect(await planOf()).toContain(hiddenId);
    expect(await planOf(token)).toEqual([componentId]);
    await trellis.succeed('deleteComponent', { component, force: true }, '__typename', token);
  });

  it('does not take the place of a hidden application as the default', async () => {
    const { token } = await limitedMember();
    const set = (appId: number, by?: string) =>
      trellis.attempt('updateApplication', { application: { appId }, isDefault: true }, '__typename', by);
    const named = await trellis.data(`{ application(by: { appId: ${own.appId} }) { name } }`);
    const input = { team: team(), region: { name: place.region.name } };
    const document = `application: ${named.application.name}\nisDefault: true\n`;
    const apply = (by?: string) => trellis.attempt('applyManifest', { ...input, document }, '__typename', by);
    const isDefault = async () =>
      (await trellis.data(`{ application(by: { appId: ${other.appId} }) { isDefault } }`)).application;

    await set(other.appId);
    for (const refused of [await set(own.appId, token), await apply(token)]) {
      expect(refused).toMatchObject({ code: 'CONFLICT' });
    }
    expect(await isDefault()).toEqual({ isDefault: true });
    expect(await apply()).toMatchObject({ __typename: 'ApplyManifestPayload' });
    expect(await isDefault()).toEqual({ isDefault: false });
    // Its own is not taken from another.
    expect(await set(own.appId, token)).toMatchObject({ __typename: 'UpdateApplicationPayload' });
  });

  it('finds no domain that a hidden component had', async () => {
    const { token } = await limitedMember();
    const domain = `www.${unique('hidden')}.org`;
    const at = { component: { componentId: other.componentId }, portNumber: 8080, opensPort: true };
    await trellis.succeed(
      'addPort',
      { component: at.component, number: 8080, protocol: 'HTTP' },
      '__typename',
    );
    const rule = { application: { appId: other.appId }, ...at, domain };
    const made = await trellis.succeed('createHttpRule', rule, 'rule { id }');
    await trellis.succeed('deleteGatewayRule', { rule: { id: made.rule.id } }, '__typename');
    const eventsOf = async (by?: string) =>
      JSON.stringify(
        await trellis.data(
          `{ team(by: { teamId: "${place.team.teamId}" }) { events(first: 20) { nodes { action objectName } } } }`,
          {},
          by,
        ),
      );
    expect(await eventsOf()).toContain('domain.release');
    expect(await eventsOf(token)).not.toContain(domain);
  });

  it('sees of a job of several applications the components of its own', async () => {
    const { token } = await limitedMember();
    const context = await administratorContext(trellis);
    const { id: uid } = await change(context, 'component.deploy', (write) =>
      insertJob(write, {
        kind: 'configure',
        team: { id: place.team.teamId },
        region: { id: place.region.regionId, driver: 'none' },
        applicationId: null,
        targets: [own, other].map(({ componentId: id }) => ({
          component: { id, name: `name-of-${id}`, generation: 1 },
          action: 'apply',
          note: 'Noted.',
        })),
      }),
    );
    const parts = 'components { totalCount nodes { id componentUid } }';
    const asked = (query: string, by?: string) => trellis.data(query, {}, by);
    const job = (by?: string) => asked(`{ job(by: { jobId: ${uid} }) { note ${parts} } }`, by);
    const all = (await job()).job;
    expect(all).toMatchObject({ note: expect.stringContaining('Noted.'), components: { totalCount: 2 } });
    const mine = all.components.nodes.filter((each: any) => each.componentUid === own.componentId);
    expect((await job(token)).job).toEqual({ note: null, components: { totalCount: 1, nodes: mine } });
    const ids = all.components.nodes.map(({ id }: { id: string }) => id);
    const found = await trellis.data('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids }, token);
    expect(found.nodes.filter(Boolean)).toEqual(mine.map(({ id }: { id: string }) => ({ id })));
    const jobs = `{ team(by: { teamId: "${place.team.teamId}" }) { jobs(first: 100) { nodes { uid ${parts} } } } }`;
    const listed = async (by?: string) =>
      (await asked(jobs, by)).team.jobs.nodes.find((each: any) => each.uid === uid);
    expect(await listed(token)).toMatchObject({ components: { nodes: mine } });
    const { token: stranger } = await limitedMember('DEVELOPER', [
      { appId: (await trellis.createApplication(place)).appId },
    ]);
    expect(await listed(stranger)).toBeUndefined();
    expect(
      (await trellis.graphql(`{ job(by: { jobId: ${uid} }) { note } }`, {}, stranger)).errors,
    ).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    const cancelling = { job: { jobId: uid } };
    expect(await trellis.attempt('cancelJob', cancelling, '__typename', token)).toMatchObject({
      code: 'FORBIDDEN',
    });
    await trellis.succeed('cancelJob', cancelling, '__typename');
  });

  it('is limited anew, or no more, at once', async () => {
    const { token, userId } = await limitedMember();
    const sees = async () =>
      (await trellis.data('{ applications { totalCount } }', {}, token)).applications.totalCount;
    expect(await sees()).toBe(1);
    const change = { team: team(), user: { userId }, role: 'VIEWER' };
    const selection = 'member { role applications { appId: uid } }';
    // Omitted, the limit stays.
    const kept = await trellis.succeed('changeTeamMemberRole', change, selection);
    expect(kept.member).toEqual({ role: 'VIEWER', applications: [{ appId: own.appId }] });
    await trellis.succeed(
      'changeTeamMemberRole',
      { ...change, applications: [{ appId: own.appId }, { appId: other.appId }] },
      selection,
    );
    expect(await sees()).toBe(2);
    const lifted = await trellis.succeed(
      'changeTeamMemberRole',
      { ...change, applications: null },
      selection,
    );
    expect(lifted.member).toEqual({ role: 'VIEWER', applications: null });
  });

  it('keeps the others when one of the applications is deleted', async () => {
    const gone = await trellis.createApplication(place);
    const { token, userId } = await limitedMember('VIEWER', [{ appId: own.appId }, { appId: gone.appId }]);
    await trellis.succeed('deleteApplication', { application: { appId: gone.appId } }, '__typename');
    const { applications } = await trellis.data('{ applications { nodes { appId: uid } } }', {}, token);
    expect(applications.nodes).toEqual([{ appId: own.appId }]);
    const { team: found } = await trellis.data(
      `{ team(by: { teamId: "${place.team.teamId}" }) { members(first: 100) { nodes { user { uid } applications { appId: uid } } } } }`,
    );
    const member = found.members.nodes.find((each: any) => each.user.uid === userId);
    expect(member.applications).toEqual([{ appId: own.appId }]);
  });

  it('is refused as an owner, with applications of another team, with two roles and with none', async () => {
    const foreign = await trellis.createApplication(await trellis.createPlace());
    const person = await trellis.createPerson();
    const input = { team: team(), user: { email: person.email } };
    const applications = [{ appId: own.appId }];
    const wrong: [object, string][] = [
      [{ role: 'OWNER', applications }, 'input.applications'],
      [{ role: 'VIEWER', applications: [{ appId: foreign.appId }] }, 'input.applications.0'],
      [{ role: 'VIEWER', customRole: { name: 'x' } }, 'input.customRole'],
      [{}, 'input.role'],
      [{ role: 'VIEWER', applications: [] }, 'input.applications'],
    ];
    for (const [more, path] of wrong) {
      const refused = await trellis.attempt('addTeamMember', { ...input, ...more });
      expect([refused.code, refused.issues?.[0].path.join('.')]).toEqual(['INVALID_INPUT', path]);
    }
  });
});

it('are looked up once for a membership, under however many aliases its applications are selected', async () => {
  await limitedMember();
  const loads = (aliases: number) => {
    const fields = Array.from({ length: aliases }, (_, index) => `a${index}: applications { uid }`);
    const query = `query ($by: TeamRef!) { team(by: $by) { members { nodes { ${fields.join(' ')} } } } }`;
    return loadedKeys(() => trellis.data(query, { by: team() }));
  };
  const { length } = await loads(1);
  expect(length).toBeGreaterThan(0);
  // What is remembered of the caller can be looked up again between the two.
  expect((await loads(50)).length).toBeLessThan(length + 10);
});
