import { describe, expect, it } from 'vitest';
import { type Place, unique } from '../../support/fixtures.ts';
import { ringTemplate } from '../../support/templates.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
let place: Place;

/** A template of two components, whose images are of two private registries. */
async function publish(
  hosts: [string, string],
  { key = undefined as string | undefined, version = '1.0.0' } = {},
) {
  const edit = (app: any, index: number) => {
    app.share_image = `${hosts[index]}/part:${version}`;
    app.service_image = { hub_url: hosts[index], hub_user: `robot-${index}`, hub_password: 'HUB-SECRET' };
  };
  const ring = ringTemplate(2, { version, edit, ...(key && { key }) });
  await trellis.succeed('publishTemplate', { template: ring.text }, '__typename');
  return ring;
}

const credentialsOf = async () => {
  const query = `{ team(by: { teamId: "${place.team.teamId}" }) { registryCredentials { nodes { host username } } } }`;
  return (await trellis.data(query)).team.registryCredentials.nodes;
};
const credentialKeys = (omitted: { path: string }[]) =>
  omitted.map(({ path }) => path).filter((path) => /hub_(user|password)$/.test(path));

const newHosts = (): [string, string] => [`${unique('a')}.example`, `${unique('b')}.example`];

async function createInstall(hosts: [string, string]) {
  place = await trellis.createPlace();
  const { appId } = await trellis.createApplication(place);
  const ring = await publish(hosts);
  const application = { appId };
  const store = { url: trellis.url, domain: 'self', accessKey: trellis.adminToken };
  return { application, ring, install: { application, store, templateId: ring.key, version: '1.0.0' } };
}

const all = [0, 1].flatMap((index) =>
  ['hub_user', 'hub_password'].map((key) => `apps[${index}].service_image.${key}`),
);

describe('the access key of a store', () => {
  it('is not replaced by who may not change all applications that need it', async () => {
    const hosts = newHosts();
    const { application: hidden, ring, install } = await createInstall(hosts);
    await publish(hosts, { key: ring.key, version: '2.0.0' });
    await trellis.succeed('installApplication', install, '__typename');
    const application = { appId: (await trellis.createApplication(place)).appId };
    const limited = await trellis.createPerson();
    const user = { userId: limited.userId };
    const member = { team: { teamId: place.team.teamId }, user, role: 'DEVELOPER' };
    await trellis.succeed('addTeamMember', { ...member, applications: [application] }, '__typename');
    const store = { ...install.store, accessKey: limited.token };
    await trellis.succeed(
      'installApplication',
      { ...install, application, store },
      '__typename',
      limited.token,
    );
    // The store accepts their key no longer.
    await trellis.succeed('updateUser', { user, isActive: false }, '__typename');
    const upgrades = [{ storeName: 'self', templateId: ring.key, version: '2.0.0' }];
    for (const of of [hidden, application]) {
      await trellis.succeed('upgradeApplication', { application: of, upgrades, dryRun: true }, '__typename');
    }
  });
});

describe('the credentials of a template', () => {
  it('are omitted, unless the installer accepts them', async () => {
    const hosts = newHosts();
    const { install } = await createInstall(hosts);
    const refused = await trellis.succeed('installApplication', install, 'omitted { path }');
    expect(credentialKeys(refused.omitted).sort()).toEqual([...all].sort());
    expect(await credentialsOf()).toEqual([]);

    const accepted = { ...install, acceptsCredentials: true };
    const selection = 'omitted { path } plan { action name }';
    const planned = await trellis.succeed('installApplication', { ...accepted, dryRun: true }, selection);
    expect(await credentialsOf()).toEqual([]);
    const done = await trellis.succeed('installApplication', accepted, selection);
    for (const { omitted, plan } of [planned, done]) {
      expect(credentialKeys(omitted)).toEqual([]);
      const added = plan.filter(({ action }: { action: string }) => action === 'registry_credential.create');
      expect(added.map(({ name }: { name: string }) => name)).toEqual(hosts);
    }
    expect(await credentialsOf()).toEqual(hosts.map((host, index) => ({ host, username: `robot-${index}` })));
    const events = await trellis.services.db.query('SELECT changes FROM event', []);
    expect(JSON.stringify(events)).not.toContain('HUB-SECRET');
  });

  it('do not replace those of the team, and come with upgrades as well', async () => {
    const hosts = newHosts();
    const { application, ring, install } = await createInstall(hosts);
    const own = { team: { teamId: place.team.teamId }, host: hosts[0], username: 'own', password: 'x' };
    await trellis.succeed('createRegistryCredential', own, '__typename');
    await trellis.succeed('installApplication', install, '__typename');
    await publish(hosts, { key: ring.key, version: '2.0.0' });
    const upgrades = [{ storeName: 'self', templateId: ring.key, version: '2.0.0' }];
    const input = { application, upgrades, acceptsCredentials: true };
    const { omitted } = await trellis.succeed('upgradeApplication', input, 'omitted { path }');
    expect(credentialKeys(omitted).sort()).toEqual(all.slice(0, 2).sort());
    expect(await credentialsOf()).toEqual([
      { host: hosts[0], username: 'own' },
      { host: hosts[1], username: 'robot-1' },
    ]);
  });

  it('are accepted by those alone who may give the team credentials', async () => {
    const hosts = newHosts();
    const { application, ring, install } = await createInstall(hosts);
    const limited = await trellis.createPerson();
    const team = { teamId: place.team.teamId };
    const member = { team, user: { userId: limited.userId }, role: 'DEVELOPER', applications: [application] };
    await trellis.succeed('addTeamMember', member, '__typename');
    const developer = await trellis.createMember(team.teamId, 'DEVELOPER');
    const actions = ['INSTALL_APPLICATION', 'UPGRADE_APPLICATION'];
    const narrow = { name: 'installs', grants: [{ actions, team }] };
    const { secret } = await trellis.succeed('createAccessToken', narrow, 'secret', developer.token);
    await publish(hosts, { key: ring.key, version: '2.0.0' });
    const upgrade = {
      application,
      upgrades: [{ storeName: 'self', templateId: ring.key, version: '2.0.0' }],
    };
    for (const token of [limited.token, secret]) {
      for (const acceptsCredentials of [true, false]) {
        const made = acceptsCredentials ? 'FORBIDDEN' : undefined;
        const given = { acceptsCredentials, dryRun: true };
        for (const [name, input] of [
          ['installApplication', install],
          ['upgradeApplication', upgrade],
        ] as const) {
          if (name === 'upgradeApplication' && token === limited.token && !acceptsCredentials) {
            await trellis.succeed('installApplication', install, '__typename', token);
          }
          const { code } = await trellis.attempt(name, { ...input, ...given }, '__typename', token);
          expect([name, acceptsCredentials, code]).toEqual([name, acceptsCredentials, made]);
        }
      }
    }
    expect(await credentialsOf()).toEqual([]);
  });
});
