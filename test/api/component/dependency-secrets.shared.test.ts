import { beforeAll, describe, expect, it } from 'vitest';
import { plan, tryApply } from '../../support/manifests.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

/** Components get the connection variables of those that they depend on, secrets as well. */
describe('a dependency on a component that gives secrets', () => {
  let place: Awaited<ReturnType<typeof trellis.createPlace>>;
  let vault: { componentId: string };
  let plain: { componentId: string };
  let own: { appId: number };
  let web: { componentId: string };
  let token: string;
  const tokenFor = async (grants: object[]) =>
    (await trellis.succeed('createAccessToken', { name: 'narrow', grants }, 'secret')).secret as string;
  const changes = [
    'ADD_DEPENDENCY',
    'CREATE_COMPONENT',
    'APPLY_MANIFEST',
    'DEPLOY_COMPONENT',
    'ROLLBACK_COMPONENT',
    'READ_SECRETS',
  ];

  beforeAll(async () => {
    place = await trellis.createPlace();
    const { appId } = await trellis.createApplication(place, 'Vaults');
    vault = await trellis.createComponent(appId, { name: 'vault' });
    plain = await trellis.createComponent(appId, { name: 'plain' });
    await trellis.succeed(
      'setVariables',
      {
        component: { componentId: vault.componentId },
        set: [{ name: 'VAULT_PASSWORD', value: 'hush', isSecret: true, scope: 'CONNECTION' }],
      },
      '__typename',
    );
    await trellis.succeed(
      'setVariables',
      {
        component: { componentId: plain.componentId },
        set: [
          { name: 'ADDRESS', value: 'here', isSecret: false, scope: 'CONNECTION' },
          { name: 'OWN_PASSWORD', value: 'hush', isSecret: true },
        ],
      },
      '__typename',
    );
    own = await trellis.createApplication(place, 'Own');
    web = await trellis.createComponent(own.appId, { name: 'web' });
    token = await tokenFor([
      { actions: ['READ'], application: { appId } },
      { actions: changes, application: { appId: own.appId } },
    ]);
  });

  const component = () => ({ componentId: web.componentId });
  const onVault = () => ({ componentId: vault.componentId });
  const refused = {
    code: 'FORBIDDEN',
    message: expect.stringMatching(/^The component vault provides secrets to its dependents\./),
  };

  it('is refused to who may not read them', async () => {
    const dependency = onVault();
    const input = { component: component(), dependency };
    expect(await trellis.attempt('addDependency', input, '__typename', token)).toMatchObject(refused);
    const created = {
      application: { appId: own.appId },
      name: 'second',
      image: 'nginx',
      dependencies: [dependency],
    };
    expect(await trellis.attempt('createComponent', created, '__typename', token)).toMatchObject(refused);
    const document = `application: Own\ncomponents:\n  web: { image: nginx, dependsOn: [{ application: Vaults, component: vault }] }\n`;
    expect(await tryApply(trellis, place, document, {}, token)).toMatchObject(refused);
  });

  it('is refused to who would bring it back with a release', async () => {
    const { componentId } = await trellis.createComponent(own.appId, {
      name: 'earlier',
      deploy: true,
      dependencies: [onVault()],
    });
    const pair = { component: { componentId }, dependency: onVault() };
    await trellis.succeed('deleteDependency', pair, '__typename');
    const input = { component: { componentId }, release: 1 };
    expect(await trellis.attempt('rollbackComponent', input, '__typename', token)).toMatchObject(refused);
    await trellis.succeed('rollbackComponent', input, '__typename');
  });

  it('is refused to who may only copy applications, with an image of their own', async () => {
    const { appId } = await trellis.createApplication(place, 'Copied');
    await trellis.createComponent(appId, { name: 'web', dependencies: [onVault()] });
    const actions = ['COPY_APPLICATION', 'READ'];
    const at = { team: { teamId: place.team.teamId } };
    const input = {
      ...{ application: { appId }, name: 'copy', secrets: 'OMIT', deploy: true },
      images: [{ component: 'web', image: 'nginx:1.29' }],
    };
    const copy = (by: string) => trellis.attempt('copyApplication', input, '__typename', by);
    expect(await copy(await tokenFor([{ actions, ...at }]))).toMatchObject(refused);
    const reading = [{ actions: [...actions, 'READ_SECRETS'], ...at }];
    expect(await copy(await tokenFor(reading))).not.toHaveProperty('code');
  });

  it('is possible where there is no secret to read, and for who may read or change the other component', async () => {
    const add = (dependency: object, by?: string) =>
      trellis.succeed('addDependency', { component: component(), dependency }, '__typename', by);
    await add({ componentId: plain.componentId }, token);
    const at = { component: onVault() };
    const reading = [
      { actions: ['READ_SECRETS'], ...at },
      { actions: ['ADD_DEPENDENCY'], application: { appId: own.appId } },
    ];
    await add(onVault(), await tokenFor(reading));
    const pair = { component: component(), dependency: onVault() };
    await trellis.succeed('deleteDependency', pair, '__typename');
    const { userId } = await trellis.createPerson();
    const actions = ['ADD_DEPENDENCY'];
    const { role } = await trellis.succeed('createRole', { name: 'wirer', actions }, 'role { uid }');
    const customRole = { roleId: role.uid };
    await trellis.succeed(
      'addTeamMember',
      {
        team: { teamId: place.team.teamId },
        user: { userId },
        customRole,
      },
      '__typename',
    );
    const secret = (await trellis.succeed('createAccessToken', { name: 'wirer', user: { userId } }, 'secret'))
      .secret;
    await add(onVault(), secret);
  });

  it('is planned for others by who may change neither', async () => {
    const { token: viewer } = await trellis.createMember(place.team.teamId, 'VIEWER');
    const document = `application: Own\ncomponents:\n  third: { image: nginx, dependsOn: [{ application: Vaults, component: vault }] }\n`;
    const { changes: planned } = await plan(trellis, place, document, { token: viewer });
    expect(planned).toContainEqual(expect.objectContaining({ object: 'DEPENDENCY', action: 'CREATE' }));
  });
});
