import { describe, expect, it } from 'vitest';
import { lookAfterPreviews } from '../../../src/domain/preview/look-operations.ts';
import { shortly, tryCopy } from '../../support/copies.ts';
import { unique } from '../../support/fixtures.ts';
import { loadedKeys } from '../../support/loaded-keys.ts';
import { apply } from '../../support/manifests.ts';
import {
  close as closeIn,
  open as openIn,
  previewed,
  previewedDocument,
  previewsOf as previewsIn,
  tryOpen,
} from '../../support/previews.ts';
import { declaredWithRuns } from '../../support/schedules.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis({ drivers: [declaredWithRuns] });

const attempt = (input: object, token?: string) => tryOpen(trellis, input, token);
const open = (input: object, token?: string) => openIn(trellis, input, token);
const close = (appId: number, key: string) => closeIn(trellis, appId, key);
const shop = (previews?: string) => previewed(trellis, previews);
const previewsOf = (appId: number) => previewsIn(trellis, appId);

const componentsOf = async (appId: number) => {
  const { application } = await trellis.data(
    `query ($by: ApplicationRef!) { application(by: $by) { copyOf { uid } components { nodes {
      uid name replicas image state dependencies { nodes { uid } }
      variables(scope: ENVIRONMENT) { nodes { name value } }
    } } } }`,
    { by: { appId } },
  );
  return Object.fromEntries(
    application.components.nodes.map((each: { name: string }) => [each.name, each]),
  ) as Record<string, any>;
};

describe('openPreview', () => {
  it('makes a copy under a key, with its own image and one instance', async () => {
    const { appId, name } = await shop();
    const input = {
      application: { appId },
      key: 'pr-42',
      images: [{ component: 'web', image: 'nginx:1.29' }],
      variables: [{ component: 'web', name: 'MODE', value: 'two' }],
      lifetimeHours: 2,
    };
    const planned = await open({ ...input, dryRun: true });
    expect(planned.preview).toBeNull();
    expect((await previewsOf(appId)).previews.nodes).toEqual([]);
    const before = Date.now();
    const { preview, omitted, plan } = await open(input);
    expect(plan.map(({ action }: any) => action)).toEqual(planned.plan.map(({ action }: any) => action));
    expect(preview).toMatchObject({
      key: 'pr-42',
      state: 'READY',
      reason: null,
      application: { name: `${name}-pr-42` },
      images: [
        { component: 'db', image: 'postgres:17', isChanged: false },
        { component: 'web', image: 'nginx:1.29', isChanged: true },
      ],
    });
    expect(preview.urls).toHaveLength(1);
    const hours = (Date.parse(preview.expiresAt) - before) / 3_600_000;
    expect(hours).toBeGreaterThan(1.9);
    expect(hours).toBeLessThan(2.1);
    expect(shortly(omitted)).toEqual([
      'application previews',
      `manifest ${name}`,
      'schedule web nightly',
      'secret db DB_PASSWORD',
      'secret web API_TOKEN',
    ]);
    const { web, db } = await componentsOf(preview.application.appId);
    expect(web).toMatchObject({
      replicas: 1,
      state: 'RUNNING',
      variables: { nodes: [{ name: 'MODE', value: 'two' }] },
      dependencies: { nodes: [{ uid: db.uid }] },
    });
    const [listed] = (await previewsOf(appId)).previews.nodes;
    expect(listed).toMatchObject({ uid: preview.uid, original: { uid: appId } });
  });

  it('updates images, variables and time for a key that is open, and nothing else', async () => {
    const { appId } = await shop();
    const application = { appId };
    const first = await open({ application, key: 'pr-1' });
    const copy = first.preview.application;
    const { web } = await componentsOf(copy.appId);
    await trellis.succeed(
      'setVariables',
      { component: { componentId: web.uid }, set: [{ name: 'BY_HAND', value: 'x' }] },
      '__typename',
    );
    const images = [{ component: 'web', image: 'nginx:1.30' }];
    const second = await open({ application, key: 'pr-1', images, lifetimeHours: 100 });
    expect(second.preview.uid).toBe(first.preview.uid);
    expect(second.preview.application).toEqual(copy);
    expect(Date.parse(second.preview.expiresAt)).toBeGreaterThan(Date.parse(first.preview.expiresAt));
    const after = (await componentsOf(copy.appId)).web;
    expect(after.image).toBe('nginx:1.30');
    expect(after.variables.nodes).toContainEqual({ name: 'BY_HAND', value: 'x' });
    expect((await previewsOf(appId)).previews.nodes).toHaveLength(1);
    const unknown = await attempt({
      application,
      key: 'pr-1',
      images: [{ component: 'nope', image: 'x' }],
    });
    expect(unknown).toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('sets secrets and connection variables of a preview that is open as such', async () => {
    const { appId } = await shop();
    const application = { appId };
    const { preview } = await open({ application, key: 'pr-1' });
    const variables = [
      { component: 'web', name: 'KEY', value: 'hush', isSecret: true },
      { component: 'web', name: 'MODE', value: 'hush', isSecret: true },
      { component: 'db', name: 'DSN', value: 'hush', isSecret: true, scope: 'CONNECTION' },
    ];
    await open({ application, key: 'pr-1', variables });
    const { application: copy } = await trellis.data(
      `query ($by: ApplicationRef!) { application(by: $by) { components { nodes {
        name variables(first: 100) { nodes { name scope isSecret } }
      } } } }`,
      { by: { appId: preview.application.appId } },
    );
    const secrets = copy.components.nodes.flatMap(({ name, variables: { nodes } }: any) =>
      nodes.flatMap((each: any) => (each.isSecret ? `${name} ${each.scope} ${each.name}` : [])),
    );
    expect(secrets.sort()).toEqual(['db CONNECTION DSN', 'web ENVIRONMENT KEY', 'web ENVIRONMENT MODE']);
  });

  it('is refused without settings, and beyond their number', async () => {
    const place = await trellis.createPlace();
    const { application } = await apply(
      trellis,
      place,
      previewedDocument(unique('shop')).replace(/^previews.*$/m, ''),
    );
    const at = { application: { appId: application.appId }, key: 'a' };
    expect(await attempt(at)).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('allows no previews'),
    });
    const { appId } = await shop('{ most: 1 }');
    await open({ application: { appId }, key: 'one' });
    expect(await attempt({ application: { appId }, key: 'two' })).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('one. Close one first.'),
    });
    await close(appId, 'one');
    await open({ application: { appId }, key: 'two' });
  });

  it('counts towards the quota of its team, as a copy does', async () => {
    const { appId, team, region } = await shop();
    const quota = { team: { teamId: team.teamId }, region: { regionId: region.regionId } };
    await trellis.succeed('setTeamQuota', { ...quota, cpuQuotaMillicores: 2_100 }, '__typename');
    const application = { appId };
    expect(await attempt({ application, key: 'a' })).toMatchObject({ code: 'QUOTA_EXCEEDED' });
    expect(await tryCopy(trellis, { application, name: 'copy', deploy: true })).toMatchObject({
      code: 'QUOTA_EXCEEDED',
    });
    expect((await previewsOf(appId)).previews.nodes).toEqual([]);
  });

  it('leaves components out, and depends on those of the application if its settings say so', async () => {
    const { appId } = await shop('{ components: [web] }');
    const { preview } = await open({ application: { appId }, key: 'a' });
    expect((await componentsOf(preview.application.appId)).web.dependencies.nodes).toEqual([]);
    const other = await shop('{ components: [web], usesOriginals: true }');
    const original = (await componentsOf(other.appId)).db;
    const opened = await open({ application: { appId: other.appId }, key: 'a' });
    const { web, db } = await componentsOf(opened.preview.application.appId);
    expect([web.dependencies.nodes, db]).toEqual([[{ uid: original.uid }], undefined]);
  });

  it('makes one preview of calls at the same moment', async () => {
    const { appId } = await shop('{ most: 20 }');
    const keys = Array.from({ length: 12 }, (_, index) => `pr-${index % 4}`);
    const results = await Promise.all(keys.map((key) => attempt({ application: { appId }, key })));
    for (const result of results) {
      if (result.__typename !== 'OpenPreviewPayload') expect(result).toMatchObject({ code: 'CONFLICT' });
    }
    const { previews } = await previewsOf(appId);
    expect(previews.nodes.map(({ key }: any) => key).sort()).toEqual(['pr-0', 'pr-1', 'pr-2', 'pr-3']);
  });
});

it('looks up the addresses of a preview once, under however many aliases they are selected', async () => {
  const { appId } = await shop();
  await open({ application: { appId }, key: 'a' });
  const loads = (aliases: number) => {
    const fields = Array.from(
      { length: aliases },
      (_, index) => `a${index}: urls b${index}: images { image }`,
    );
    const query = `query ($by: ApplicationRef!) { application(by: $by) { previews { nodes { ${fields.join(' ')} } } } }`;
    return loadedKeys(() => trellis.data(query, { by: { appId } }));
  };
  const { length } = await loads(1);
  expect(length).toBeGreaterThan(0);
  // What is remembered of the caller can be looked up again between the two.
  expect((await loads(101)).length).toBeLessThan(length + 10);
});

describe('a preview that ends', () => {
  it('is deleted by closePreview, with its application', async () => {
    const { appId, team } = await shop();
    const { preview } = await open({ application: { appId }, key: 'a' });
    const { plan } = await close(appId, 'a');
    expect(plan.map(({ action }: any) => action)).toContain('application.delete');
    expect((await previewsOf(appId)).previews.nodes).toEqual([]);
    const { team: left } = await trellis.data(
      'query ($by: TeamRef!) { team(by: $by) { applications { nodes { uid } } } }',
      { by: { teamId: team.teamId } },
    );
    expect(left.applications.nodes).not.toContainEqual({ uid: preview.application.appId });
  });

  it('is deleted when it has expired, by the clock of the database', async () => {
    const { appId, team } = await shop();
    const { preview } = await open({ application: { appId }, key: 'a', lifetimeHours: 1 });
    const later = new Date(Date.parse(preview.expiresAt) + 1);
    await lookAfterPreviews(trellis.services, new Date(later.getTime() - 60_000));
    expect((await previewsOf(appId)).previews.nodes).toHaveLength(1);
    await lookAfterPreviews(trellis.services, later);
    expect((await previewsOf(appId)).previews.nodes).toEqual([]);
    const { team: record } = await trellis.data(
      `query ($by: TeamRef!) { team(by: $by) { events(first: 50) { nodes { action } } } }`,
      { by: { teamId: team.teamId } },
    );
    const actions = record.events.nodes.map(({ action }: any) => action);
    expect(actions).toContain('preview.expired');
    expect(actions).not.toContain('preview.close');
  });

  it('keeps its application from being deleted before it', async () => {
    const { appId } = await shop();
    await open({ application: { appId }, key: 'a' });
    const input = { application: { appId }, force: true };
    expect(await trellis.attempt('deleteApplication', input, '__typename')).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('has previews: a.'),
    });
    await close(appId, 'a');
    await trellis.succeed('deleteApplication', input, '__typename');
  });
});

describe('the command after the first deploy', () => {
  it('is a run of the preview', async () => {
    const { appId } = await shop('{ seed: { component: db, command: [fill, it] } }');
    const { preview } = await open({ application: { appId }, key: 'a' });
    expect(preview.state).toBe('SEEDING');
    await lookAfterPreviews(trellis.services, new Date());
    await lookAfterPreviews(trellis.services, new Date());
    const { application } = await trellis.data(
      `query ($by: ApplicationRef!) { application(by: $by) { components { nodes { name runs { nodes { command } } } } } }`,
      { by: { appId: preview.application.appId } },
    );
    const runs = application.components.nodes.flatMap(({ runs: { nodes } }: any) => nodes);
    expect(runs).toEqual([{ command: ['fill', 'it'] }]);
  });
});

describe('a preview of an application whose components share a domain', () => {
  it('has one default domain for both, opened by who may open previews alone', async () => {
    const place = await trellis.createPlace();
    const domain = `${unique('shop')}.example`;
    const ports = { 80: { protocol: 'http', isOuter: true } };
    const document = JSON.stringify({
      ...{ application: unique('shop'), previews: {} },
      components: { api: { image: 'api:1', ports }, web: { image: 'web:1', ports } },
      routes: [
        { domain, path: '/api', component: 'api', port: 80 },
        { domain, component: 'web', port: 80 },
      ],
    });
    const { appId } = (await apply(trellis, place, document)).application;
    const { token } = await trellis.createMember(place.team.teamId, 'DEVELOPER');
    const grants = [{ actions: ['OPEN_PREVIEW'], application: { appId } }];
    const narrow = await trellis.succeed('createAccessToken', { name: unique('t'), grants }, 'secret', token);
    await open({ application: { appId }, key: 'a' }, narrow.secret);
    const rules = await trellis.services.db.transaction((tx) =>
      tx.httpRule.findMany({ where: { application: { copyOfId: appId } }, orderBy: { path: 'asc' } }),
    );
    const [ofWeb] = rules.filter(({ componentId }) => componentId !== rules[2]!.componentId);
    expect(rules.map(({ path, isDefault, domain: at }) => [path, isDefault, at === ofWeb!.domain])).toEqual(
      expect.arrayContaining([
        ['/', true, true],
        ['/', true, false],
        ['/api', false, true],
      ]),
    );
  });
});

describe('the settings of previews', () => {
  it('are in manifests, and need the right to read secrets for what brings them', async () => {
    const { appId, team } = await shop('{ secrets: COPY, most: 2 }');
    expect((await previewsOf(appId)).previewSettings).toEqual({
      ...{ most: 2, lifetimeHours: 72, components: null, usesOriginals: false, secrets: 'COPY', seed: null },
    });
    const { preview } = await open({ application: { appId }, key: 'a' });
    const { web } = await componentsOf(preview.application.appId);
    expect(web.variables.nodes).toContainEqual({ name: 'API_TOKEN', value: 'hush' });
    const { uid } = (
      await trellis.succeed(
        'createServiceAccount',
        { team: { teamId: team.teamId }, name: unique('ci'), role: 'DEVELOPER' },
        'serviceAccount { uid }',
      )
    ).serviceAccount;
    const tokenWith = async (actions: string[]) =>
      (
        await trellis.succeed(
          'createAccessToken',
          {
            name: unique('t'),
            serviceAccount: { serviceAccountId: uid },
            grants: [{ actions, application: { appId } }],
          },
          'secret',
        )
      ).secret as string;
    const updating = await tokenWith(['UPDATE_APPLICATION']);
    const set = (previews: object | null, token: string) =>
      trellis.attempt('updateApplication', { application: { appId }, previews }, '__typename', token);
    expect(await set({ secrets: 'OMIT' }, updating)).not.toHaveProperty('code');
    for (const previews of [{ secrets: 'COPY' }, { usesOriginals: true }]) {
      expect(await set(previews, updating)).toMatchObject({ code: 'FORBIDDEN' });
    }
    const copying = { secrets: 'COPY', components: ['web'] };
    await trellis.succeed('updateApplication', { application: { appId }, previews: copying }, '__typename');
    const seed = { component: 'web', command: ['env'] };
    for (const previews of [{ secrets: 'COPY' }, { ...copying, components: ['db'] }, { ...copying, seed }]) {
      expect(await set(previews, updating)).toMatchObject({ code: 'FORBIDDEN' });
    }
    expect(await set({ ...copying, most: 3, lifetimeHours: 1 }, updating)).not.toHaveProperty('code');
    const opening = await tokenWith(['OPEN_PREVIEW']);
    const { __typename } = await attempt({ application: { appId }, key: 'b' }, opening);
    expect(__typename).toBe('OpenPreviewPayload');
    expect(await set(null, opening)).toMatchObject({ code: 'FORBIDDEN' });
  });
});
