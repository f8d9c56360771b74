import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registryHost, registryOf } from '../../../src/drivers/registry/image.ts';
import { type Place, unique } from '../../support/fixtures.ts';
import {
  type ClusterPlace,
  createClusterPlace,
  deploy,
  objectIn,
  patience,
} from '../../support/kubernetes/place.ts';
import { type FakeServer, startCluster } from '../../support/kubernetes/server.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

let trellis: Trellis;
let server: FakeServer;
beforeAll(async () => {
  [trellis, server] = await Promise.all([startTrellis({ jobs: {} }), startCluster()]);
});
afterAll(async () => {
  await trellis.close();
  await server.close();
});

const fields = 'credential { credentialId: uid }';
const newHost = () => `${unique('registry')}.example:5000`;

const create = async (input: object, token?: string) =>
  (
    await trellis.succeed(
      'createRegistryCredential',
      { username: 'robot', password: 'PASS-SECRET', ...input },
      fields,
      token,
    )
  ).credential as { credentialId: number };

const codeOf = async (mutation: string, input: object, token?: string) =>
  (await trellis.attempt(mutation, input, '__typename', token)).code;

const hostsOf = async (teamId: string, token?: string) =>
  (
    await trellis.graphql(
      `{ team(by: { teamId: "${teamId}" }) { registryCredentials { totalCount nodes { host } } } }`,
      {},
      token,
    )
  ).data.team.registryCredentials.nodes.map(({ host }: { host: string }) => host);

describe('the host of an image', () => {
  it.each([
    ['nginx', 'docker.io'],
    ['nginx:1.29@sha256:00', 'docker.io'],
    ['bitnami/redis:7', 'docker.io'],
    ['docker.io/library/nginx', 'docker.io'],
    ['index.docker.io/bitnami/redis', 'docker.io'],
    ['registry.example/web', 'registry.example'],
    ['Registry.Example:5000/a/b:1', 'registry.example:5000'],
    ['localhost/web', 'localhost'],
    ['localhost:5000/web', 'localhost:5000'],
    ['team.example:1/web', 'team.example:1'],
  ])('of %s is %s', (image, host) => {
    expect(registryOf(image)).toBe(host);
    expect(registryHost(host.toUpperCase())).toBe(host);
  });
});

describe('a registry credential', () => {
  it('is created, listed by host, changed and deleted, and never shows its password', async () => {
    const { teamId } = await trellis.createTeam();
    const team = { teamId };
    const host = newHost();
    const credential = await create({ team, host: host.toUpperCase() });
    await create({ team, host: 'index.docker.io', password: '{\n  "key": "PASS-SECRET"\n}' });
    expect(await hostsOf(teamId)).toEqual(['docker.io', host]);
    for (const same of ['docker.io', 'registry-1.docker.io']) {
      const input = { team, host: same, username: 'robot', password: 'x' };
      expect(await codeOf('createRegistryCredential', input)).toBe('CONFLICT');
    }
    const update = (input: object) =>
      trellis.succeed(
        'updateRegistryCredential',
        { credential, ...input },
        'credential { username revision }',
      );
    expect((await update({ password: 'PASS-SECRET' })).credential).toEqual({
      username: 'robot',
      revision: 1,
    });
    expect((await update({ password: 'NEXT-SECRET' })).credential).toEqual({
      username: 'robot',
      revision: 2,
    });
    expect((await update({ username: 'other' })).credential).toEqual({ username: 'other', revision: 3 });
    const stale = { credential, password: 'x', expectedRevision: 2 };
    expect(await codeOf('updateRegistryCredential', stale)).toBe('CONFLICT');

    const selection = 'credential { host } team { name } plan { action name }';
    const planned = await trellis.succeed(
      'deleteRegistryCredential',
      { credential, dryRun: true },
      selection,
    );
    expect(await hostsOf(teamId)).toHaveLength(2);
    const deleted = await trellis.succeed('deleteRegistryCredential', { credential }, selection);
    expect(deleted).toEqual(planned);
    expect(deleted.plan).toEqual([{ action: 'registry_credential.delete', name: host }]);
    expect(await hostsOf(teamId)).toEqual(['docker.io']);

    const { db } = trellis.services;
    const stored = await Promise.all(
      ['event', 'registry_credential'].map((table) => db.query(`SELECT * FROM "${table}"`, [])),
    );
    expect(JSON.stringify(stored)).toContain('registry_credential.update');
    expect(JSON.stringify(stored)).not.toMatch(/(PASS|NEXT)-SECRET/);
  });

  it('refuses hosts and usernames that are none', async () => {
    const { teamId } = await trellis.createTeam();
    const valid = { team: { teamId }, host: newHost(), username: 'robot', password: 'PASS-SECRET' };
    const before = await trellis.counts();
    for (const [field, value] of [
      ['host', 'https://registry.example'],
      ['host', 'registry.example/path'],
      ['host', 'registry.example:99999'],
      ['host', 'a b'],
      ['host', '-a.example'],
      ['username', 'a:b'],
      ['username', ''],
      ['password', ''],
      ['password', 'a\u0000b'],
    ] as const) {
      const result = await trellis.attempt('createRegistryCredential', { ...valid, [field]: value });
      expect(result.code, `${field} ${value}`).toBe('INVALID_INPUT');
      expect(result.issues[0].path).toEqual(['input', field]);
      expect(JSON.stringify(result)).not.toContain('PASS-SECRET');
    }
    expect(await trellis.counts()).toEqual(before);
  });

  it('of a team is for its developers, and one of all teams for administrators', async () => {
    const { teamId } = await trellis.createTeam();
    const viewer = await trellis.createMember(teamId, 'VIEWER');
    const developer = await trellis.createMember(teamId, 'DEVELOPER');
    const host = newHost();
    const input = { username: 'robot', password: 'x', host };
    const own = { ...input, team: { teamId } };
    expect(await codeOf('createRegistryCredential', own, viewer.token)).toBe('FORBIDDEN');
    const ofTeam = await create(own, developer.token);
    expect(await hostsOf(teamId, viewer.token)).toEqual([host]);
    expect(await codeOf('createRegistryCredential', input, developer.token)).toBe('FORBIDDEN');
    const ofAll = await create(input);
    for (const credential of [ofTeam, ofAll]) {
      const refusal = credential === ofTeam ? 'FORBIDDEN' : 'NOT_FOUND';
      const changed = { credential, password: 'y' };
      expect(await codeOf('updateRegistryCredential', changed, viewer.token)).toBe(refusal);
      expect(await codeOf('deleteRegistryCredential', { credential }, viewer.token)).toBe(refusal);
    }
    const list =
      '{ viewer { enterprise { registryCredentials(first: 100) { nodes { host team { name } } } } } }';
    const { data } = await trellis.graphql(list);
    expect(data.viewer.enterprise.registryCredentials.nodes).toContainEqual({ host, team: null });
    const refused = await trellis.graphql(list, {}, developer.token);
    expect(refused.data.viewer.enterprise.registryCredentials).toBeNull();
    expect(refused.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    await trellis.succeed('deleteRegistryCredential', { credential: ofAll }, '__typename');
  });

  it('is not deleted while components use it, unless that is forced', async () => {
    const place: Place = await trellis.createPlace();
    const { teamId } = place.team;
    const { appId } = await trellis.createApplication(place);
    const host = newHost();
    const credential = await create({ team: { teamId }, host });
    const { componentId } = await trellis.createComponent(appId);
    const component = { componentId };
    const set = (image: string) => trellis.succeed('updateComponent', { component, image }, '__typename');
    await set(`${host}/web:1`);
    const refused = await trellis.attempt('deleteRegistryCredential', { credential });
    expect(refused.code).toBe('CONFLICT');
    expect(refused.message).toContain(`The credential for ${host} is used by components:`);
    const dryRun = { credential, dryRun: true };
    expect(await codeOf('deleteRegistryCredential', dryRun)).toBe('CONFLICT');
    await set(`${host.replace('5000', '5001')}/web:1`);
    expect(await codeOf('deleteRegistryCredential', dryRun)).toBeUndefined();
    await set(`${host}/web:1`);
    await trellis.succeed('deleteRegistryCredential', { credential, force: true }, '__typename');
  });
});

describe('a registry credential in a cluster', () => {
  const secretOf = (place: ClusterPlace, alias: string) => {
    const secret = objectIn(place, 'Secret', `${alias}-pull`);
    if (!secret) return undefined;
    return JSON.parse(Buffer.from(secret.data['.dockerconfigjson'], 'base64').toString()).auths;
  };
  const passwordOf = (place: ClusterPlace, alias: string, host: string) =>
    secretOf(place, alias)?.[host]?.password;

  it('is that of the team, or else that of all teams, and follows changes', async () => {
    const place = await createClusterPlace(trellis, server);
    const team = { teamId: place.teamId };
    const host = newHost();
    const ofAll = await create({ host, password: 'of all' });
    const [{ alias, componentId }] = (await deploy(trellis, place, [{ image: `${host}/web:1` }])) as [any];
    expect(passwordOf(place, alias, host)).toBe('of all');
    const update = (credential: object, password: string) =>
      trellis.succeed('updateRegistryCredential', { credential, password }, '__typename');
    await update(ofAll, 'changed');
    await expect.poll(() => passwordOf(place, alias, host), patience).toBe('changed');

    // That of the team takes precedence with the next deploy, and the other is not used any more.
    const own = await create({ team, host, password: 'of team' });
    await trellis.succeed('deployComponent', { component: { componentId } }, '__typename');
    await expect.poll(() => passwordOf(place, alias, host), patience).toBe('of team');
    await trellis.succeed('deleteRegistryCredential', { credential: ofAll }, '__typename');
    await update(own, 'renewed');
    await expect.poll(() => passwordOf(place, alias, host), patience).toBe('renewed');

    // The image that it was deployed with counts as well.
    const component = { componentId };
    await trellis.succeed('updateComponent', { component, image: 'nginx:1.29' }, '__typename');
    expect(await codeOf('deleteRegistryCredential', { credential: own })).toBe('CONFLICT');
    await trellis.succeed('deleteRegistryCredential', { credential: own, force: true }, '__typename');
    await expect.poll(() => secretOf(place, alias), patience).toBeUndefined();
  });

  it('is not in the objects of components of other teams and registries', async () => {
    const [place, other] = [
      await createClusterPlace(trellis, server),
      await createClusterPlace(trellis, server),
    ] as const;
    const host = newHost();
    await create({ team: { teamId: place.teamId }, host });
    const image = `${host}/web:1`;
    const [own] = await deploy(trellis, place, [{ image }]);
    const [elsewhere] = await deploy(trellis, place, [{ image: 'nginx:1.29' }]);
    const [ofOther] = await deploy(trellis, other, [{ image }]);
    expect(Object.keys(secretOf(place, own!.alias))).toEqual([host]);
    expect(secretOf(place, elsewhere!.alias)).toBeUndefined();
    expect(secretOf(other, ofOther!.alias)).toBeUndefined();
  });
});
