import { beforeAll, describe, expect, it } from 'vitest';
import { tables } from '../../../src/db/tables.ts';
import { type Issued, issue } from '../../support/certificates.ts';
import { type Person, type Place, refsOf, unique } from '../../support/fixtures.ts';
import { meanwhile } from '../../support/meanwhile.ts';
import { once } from '../../support/once.ts';
import { databaseKind, useTrellis } from '../../support/trellis.ts';
import { createWebhook, webhookInput } from '../../support/webhooks.ts';

const trellis = useTrellis();
let issued: Issued;
beforeAll(async () => {
  issued = await issue({ names: ['delete-team.example'] });
});

const adminEmail = 'admin@trellis.example';
const planned = 'team { uid name members { totalCount } } plan { action objectType objectUid name }';
const ref = ({ teamId }: { teamId: string }) => ({ team: { teamId } });
const remove = (team: { teamId: string }, options: object = {}, token?: string) =>
  trellis.attempt('deleteTeam', { ...ref(team), ...options }, planned, token);

const certificateOf = (team: { teamId: string }) => ({
  ...ref(team),
  name: unique('certificate'),
  chain: issued.pem,
  key: issued.key,
});

const credentialOf = (team: { teamId: string }) => ({
  ...ref(team),
  host: 'registry.example',
  username: 'robot',
  password: 'secret',
});

const accountOf = (team: { teamId: string }) => ({ ...ref(team), name: 'robot', role: 'DEVELOPER' });

/** A team with one of everything that goes with it. */
async function createFull() {
  const place = await trellis.createPlace();
  const { teamId } = place.team;
  const owner = await trellis.createMember(teamId, 'OWNER');
  const { certificate } = await trellis.succeed(
    'addCertificate',
    certificateOf(place.team),
    'certificate { uid }',
  );
  const { credential } = await trellis.succeed(
    'createRegistryCredential',
    credentialOf(place.team),
    'credential { uid }',
  );
  const { serviceAccount } = await trellis.succeed(
    'createServiceAccount',
    accountOf(place.team),
    'serviceAccount { uid }',
  );
  await trellis.succeed(
    'setGroupRole',
    { ...ref(place.team), group: 'operators', role: 'VIEWER' },
    '__typename',
  );
  const { trust } = await trellis.succeed(
    'addTrust',
    {
      serviceAccount: { serviceAccountId: serviceAccount.uid },
      issuer: 'https://issuer.example',
      audience: 'trellis',
      claims: [{ name: 'sub', pattern: 'repo:shop/web:*' }],
    },
    'trust { uid }',
  );
  const { webhookId } = await createWebhook(trellis, teamId);
  const domain = `${unique('www')}.example`;
  // What installs and rules leave behind, for a team whose applications are gone.
  const store = await trellis.services.db.transaction(async (tx) => {
    const at = new Date();
    const key = { sealedAccessKey: 'sealed', createdAt: at, updatedAt: at };
    await tx.domain.create({ data: { teamId, regionId: place.region.regionId, name: domain } });
    return tx.storeConnection.create({
      data: { teamId, name: 'store.example', url: 'https://store.example', domain: 'store', ...key },
    });
  });
  return {
    ...place,
    owner,
    certificateId: certificate.uid as number,
    credentialId: credential.uid as number,
    accountId: serviceAccount.uid as string,
    trustId: trust.uid as string,
    webhookId,
    domain,
    storeId: store.id,
  };
}

const createJob = ({ team, region }: Place, status: string) =>
  trellis.services.db.transaction((tx) =>
    tx.job.create({
      data: {
        teamId: team.teamId,
        regionId: region.regionId,
        kind: 'delete',
        status,
        requestId: 'test',
        createdAt: new Date(),
      },
    }),
  );

const endJob = (id: number) =>
  trellis.services.db.transaction((tx) => tx.job.update({ where: { id }, data: { status: 'succeeded' } }));

describe('deleteTeam', () => {
  it('takes along what belongs to the team, and says so before', async () => {
    const {
      team,
      region,
      owner,
      certificateId,
      credentialId,
      accountId,
      trustId,
      webhookId,
      domain,
      storeId,
    } = await createFull();
    await endJob((await createJob({ team, region }, 'running')).id);
    const before = await trellis.counts();
    const dry = await remove(team, { dryRun: true }, owner.token);
    expect(await trellis.counts()).toEqual(before);
    expect(dry).toMatchObject({
      __typename: 'DeleteTeamPayload',
      plan: [
        { action: 'domain.release', objectType: 'Domain', objectUid: domain, name: domain },
        {
          action: 'store_connection.delete',
          objectType: 'StoreConnection',
          objectUid: String(storeId),
          name: 'store.example',
        },
        { action: 'certificate.delete', objectType: 'Certificate', objectUid: String(certificateId) },
        {
          action: 'registry_credential.delete',
          objectType: 'RegistryCredential',
          objectUid: String(credentialId),
          name: 'registry.example',
        },
        { action: 'team.close_region', objectType: 'Team', objectUid: team.teamId, name: region.name },
        {
          action: 'webhook.delete',
          objectType: 'Webhook',
          objectUid: webhookId,
          name: expect.stringContaining('https://receiver.example/'),
        },
        {
          action: 'trust.remove',
          objectType: 'Trust',
          objectUid: trustId,
          name: 'https://issuer.example',
        },
        {
          action: 'service_account.delete',
          objectType: 'ServiceAccount',
          objectUid: accountId,
          name: 'robot',
        },
        { action: 'team.set_group_role', objectType: 'GroupRole', name: 'operators' },
        { action: 'team.remove_member', objectType: 'TeamMember', name: adminEmail },
        { action: 'team.remove_member', objectType: 'TeamMember', name: owner.email },
        { action: 'team.delete', objectType: 'Team', objectUid: team.teamId, name: team.name },
      ],
    });
    const real = await remove(team, {}, owner.token);
    expect(real.plan).toEqual(dry.plan);
    expect(real.team).toEqual({ uid: team.teamId, name: team.name, members: { totalCount: 0 } });
    const after = await trellis.counts();
    const gone = [
      'certificate',
      'domain',
      'group_role',
      'job',
      'registry_credential',
      'store_connection',
      'team',
      'team_region',
      'trust',
      'webhook',
    ];
    for (const table of gone) expect(after[table], table).toBe(before[table]! - 1);
    expect(after.membership).toBe(before.membership! - 2);
    expect(after.event).toBe(before.event! + real.plan.length);
    // The token of a member stays, and sees the team no more.
    const { data } = await trellis.graphql('{ teams { totalCount } }', {}, owner.token);
    expect(data.teams.totalCount).toBe(0);
    const lost = await trellis.graphql(
      `{ team(by: { teamId: "${team.teamId}" }) { name } }`,
      {},
      owner.token,
    );
    expect(lost.errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    await trellis.data(`{ region(by: { regionId: "${region.regionId}" }) { teams { totalCount } } }`);
    // Its name is free again.
    await trellis.createTeam(team.name);
  });

  it('keeps the events of the team, which administrators read', async () => {
    const { team, owner } = await createFull();
    const { team: deleted } = await trellis.succeed(
      'deleteTeam',
      ref(team),
      'team { roles { role } creator { email } regions { totalCount } events(first: 3) { nodes { action team { name } } } }',
    );
    const { events, ...rest } = deleted;
    expect(rest).toEqual({
      roles: [],
      creator: { email: 'admin@trellis.example' },
      regions: { totalCount: 0 },
    });
    expect(events.nodes[0]).toEqual({ action: 'team.delete', team: null });
    const query = (uid: string) =>
      `{ events(objectUid: "${uid}") { nodes { id action objectUid team { name } user { email } } } }`;
    const data = await trellis.data(query(team.teamId));
    expect(data.events.nodes.map((each: any) => each.action)).toEqual([
      'team.delete',
      'team.close_region',
      'team.open_region',
      'team.create',
    ]);
    const node = `{ node(id: "${data.events.nodes[0].id}") { ... on Event { action team { name } } } }`;
    expect((await trellis.data(node)).node).toEqual({ action: 'team.delete', team: null });
    expect((await trellis.graphql(node, {}, owner.token)).errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    const secrets = JSON.stringify(await trellis.services.db.query('SELECT changes FROM event', []));
    expect(secrets).not.toContain('PRIVATE KEY');
    expect(secrets).not.toContain('"sealed"');
  });

  it('is refused while the team has applications, which it names, or unfinished jobs', async () => {
    const place = await trellis.createPlace();
    for (const name of ['shop', 'blog']) await trellis.createApplication(place, name);
    const jobs = [await createJob(place, 'pending'), await createJob(place, 'running')];
    const before = await trellis.counts();
    for (const options of [{}, { dryRun: true }]) {
      expect(await remove(place.team, options)).toMatchObject({
        code: 'CONFLICT',
        message: `The team ${place.team.name} has 2 applications (blog, shop). Delete them first.`,
      });
    }
    const { team } = place;
    await trellis.services.db.transaction((tx) =>
      tx.application.deleteMany({ where: { teamId: team.teamId } }),
    );
    expect(await remove(team)).toMatchObject({
      code: 'CONFLICT',
      message: `The team ${team.name} has 2 unfinished jobs. Try again later.`,
    });
    expect(await trellis.counts()).toEqual({ ...before, application: before.application! - 2 });
    for (const { id } of jobs) await endJob(id);
    expect(await remove(team)).toMatchObject({ __typename: 'DeleteTeamPayload' });
  });

  it('follows the deletion of its applications, and the region can be deleted after it', async () => {
    const { team, region, application, component } = await trellis.createAll();
    const rule = {
      application: { appId: application.appId },
      component: { componentId: component.componentId },
      portNumber: 8080,
      domain: `${unique('www')}.example`,
      opensPort: true,
    };
    await trellis.succeed('createHttpRule', rule, '__typename');
    await trellis.succeed('deleteApplication', { application: rule.application }, '__typename');
    const { plan } = await remove(team);
    const actions = ['team.close_region', 'team.remove_member', 'team.delete'];
    expect(plan.map((each: any) => each.action)).toEqual(actions);
    await trellis.succeed('deleteRegion', { region: { regionId: region.regionId } }, '__typename');
  });

  it('names ten applications and counts the others', async () => {
    const place = await trellis.createPlace();
    const { teamId } = place.team;
    const row = { teamId, regionId: place.region.regionId, createdAt: new Date(), updatedAt: new Date() };
    const names = Array.from({ length: 25 }, (_, at) => `app-${String(at).padStart(2, '0')}`);
    await trellis.services.db.transaction((tx) =>
      tx.application.createMany({ data: names.map((name) => ({ ...row, name, folded: name })) }),
    );
    const { message } = await remove(place.team);
    expect(message).toBe(
      `The team ${place.team.name} has 25 applications (${names.slice(0, 10).join(', ')} and 15 more). Delete them first.`,
    );
  });

  it('knows every table that belongs to a team', () => {
    const keepTheTeam = ['Application', 'Component', 'HttpRule', 'Job', 'Preview', 'TcpRule'];
    const goWithIt = [
      'Certificate',
      'Domain',
      'GroupRole',
      'Membership',
      'PublishedTemplate',
      'RegistryCredential',
      'ServiceAccount',
      'StoreConnection',
      'TeamRegion',
      'Webhook',
      'WebhookDelivery',
    ];
    const outliveIt = ['Event'];
    const found = Object.entries(tables).filter(([, { columns }]) => 'teamId' in columns);
    // A new one needs an entry in `teamHooks`, unless it can only be there with an application.
    expect(found.map(([model]) => model).sort()).toEqual([...keepTheTeam, ...goWithIt, ...outliveIt].sort());
  });

  it('requires an owner', async () => {
    const team = await trellis.createTeam();
    const admin = await trellis.createMember(team.teamId, 'ADMIN');
    for (const dryRun of [true, false]) {
      expect(await remove(team, { dryRun }, admin.token)).toMatchObject({ code: 'FORBIDDEN' });
    }
  });

  once('takes as many statements for 90 members as for 10', async () => {
    const counts = [];
    for (const size of [10, 90]) {
      const { teamId } = await trellis.createTeam();
      await trellis.services.db.transaction(async (tx) => {
        const { enterpriseId } = await tx.team.findUniqueOrThrow({ where: { id: teamId } });
        const people = Array.from({ length: size }, () => unique('bulk'));
        const joinedAt = new Date();
        await tx.user.createMany({
          data: people.map((name) => ({
            enterpriseId,
            email: name,
            nickName: name,
            folded: name,
            createdAt: joinedAt,
          })),
        });
        const users = await tx.user.findMany({ where: { email: { in: people } }, select: { id: true } });
        await tx.membership.createMany({
          data: users.map(({ id }) => ({
            id: unique('membership'),
            teamId,
            userId: id,
            role: 'viewer',
            joinedAt,
          })),
        });
      });
      trellis.statements.length = 0;
      const { plan } = await remove({ teamId });
      expect(plan).toHaveLength(size + 2);
      counts.push(trellis.statements.length);
    }
    expect(counts[1]).toBe(counts[0]);
  });
});

describe('deleting a team while another change of it is under way', () => {
  const codeOf = ({ code, __typename }: { code?: string; __typename: string }) => code ?? __typename;
  const isThere = async ({ teamId }: { teamId: string }) =>
    (await trellis.services.db.query('SELECT id FROM team', [])).some(([id]) => id === teamId);

  /** For every change of something in a team: its input. */
  const changes: Record<string, (place: Place) => object> = {
    addCertificate: ({ team }) => certificateOf(team),
    addTeamMember: ({ team }) => ({ ...ref(team), user: { email: outsider.email }, role: 'VIEWER' }),
    changeTeamMemberRole: ({ team }) => ({ ...ref(team), user: { email: adminEmail }, role: 'OWNER' }),
    closeTeamRegion: refsOf,
    createApplication: (place) => ({ ...refsOf(place), name: 'late', isDefault: true }),
    createRegistryCredential: ({ team }) => credentialOf(team),
    createServiceAccount: ({ team }) => accountOf(team),
    createWebhook: ({ team }) => webhookInput(team.teamId),
    deleteTeam: ({ team }) => ref(team),
    openTeamRegion: ({ team }) => ({ ...ref(team), region: { regionId: publicRegion.regionId } }),
    removeTeamMember: ({ team }) => ({ ...ref(team), user: { email: adminEmail } }),
    setGroupRole: ({ team }) => ({ ...ref(team), group: 'late', role: 'VIEWER' }),
    setTeamQuota: (place) => ({ ...refsOf(place), memoryQuotaMiB: 1 }),
    updateTeam: ({ team }) => ({ ...ref(team), alias: 'Late' }),
  };
  let outsider: Person;
  let publicRegion: Place['region'];
  beforeAll(async () => {
    outsider = await trellis.createPerson();
    publicRegion = await trellis.createRegion({ scope: 'PUBLIC' });
  });

  it.each(Object.keys(changes))('refuses %s if it commits first', async (name) => {
    const place = await trellis.createPlace();
    const input = changes[name]!(place);
    const { result, hasRun } = await meanwhile(
      trellis,
      () => remove(place.team),
      () => trellis.attempt(name, input),
    );
    expect(hasRun).toBe(true);
    expect(codeOf(result), JSON.stringify(result)).toMatch(/^(NOT_FOUND|CONFLICT)$/);
    expect(await isThere(place.team)).toBe(false);
  });

  it.each(Object.keys(changes))('happens before or after %s at the same time', async (name) => {
    const place = await trellis.createPlace();
    const [changed, deleted] = await Promise.all([
      trellis.attempt(name, changes[name]!(place)),
      remove(place.team),
    ]);
    const codes = `${codeOf(changed)} ${codeOf(deleted)}`;
    if (await isThere(place.team)) expect(codes).toBe('CreateApplicationPayload CONFLICT');
    else expect(codes).toMatch(/^(\w+Payload|NOT_FOUND|CONFLICT) (DeleteTeamPayload|NOT_FOUND)$/);
    const [rows] = await trellis.services.db.query(
      'SELECT count(*) FROM application a WHERE NOT EXISTS (SELECT 1 FROM team_region r WHERE r.team_id = a.team_id AND r.region_id = a.region_id)',
      [],
    );
    expect(Number(rows![0])).toBe(0);
  });

  it('waits for what is being added, and deletes it with an event', async () => {
    const { team } = await trellis.createPlace();
    const { teamId } = team;
    const row = { teamId, chain: issued.pem, sealedKey: 'sealed', names: '[]', issuer: 'CN=x' };
    let deleting: ReturnType<typeof remove> | undefined;
    await trellis.services.db.transaction(async (tx) => {
      const at = new Date();
      await tx.certificate.create({ data: { ...row, name: 'late', expiresAt: at, createdAt: at } });
      deleting = remove(team);
      if (databaseKind === 'sqlite') return;
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
      await expect.poll(() => trellis.services.db.query(waiting, []), { interval: 10 }).toHaveLength(1);
    });
    expect((await deleting!).plan).toContainEqual(
      expect.objectContaining({ action: 'certificate.delete', name: 'late' }),
    );
  });

  it('is no error for those who read it', async () => {
    const { team } = await createFull();
    const query = `{ teams(first: 100) { nodes { name creator { email } members { nodes { user { email } team { name } } } regions { nodes { name } } certificates { nodes { name } } } } }`;
    const [{ errors }] = await Promise.all([trellis.graphql(query), remove(team)]);
    for (const error of errors ?? []) expect(error.extensions.code).toBe('NOT_FOUND');
  });
});
