import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lapseUnconfirmed } from '../../../src/domain/session/lapse-operations.ts';
import { cliFor, gatewayOf } from '../../support/cli.ts';
import {
  finishedDeliveries,
  hastyDeliveries,
  insertDeliveries,
  insertWebhook,
} from '../../support/deliveries.ts';
import { call, createHook, type Hook, hookedComponent } from '../../support/deploy-hooks.ts';
import { unique } from '../../support/fixtures.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../../support/identity-provider.ts';
import { CookieClient, inSession, signIn } from '../../support/sign-in.ts';
import { subscribe } from '../../support/subscribe.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import { createAccount } from '../../support/webhooks.ts';

let trellis: Trellis;
let idp: TestIdentityProvider;
let receiver: WebhookReceiver;
beforeAll(async () => {
  idp = await startIdentityProvider({ refreshTokens: 'offered' });
  receiver = await startReceiver();
  trellis = await startTrellis({
    identity: idp.driver({ usesRefreshTokens: true, prompt: 'consent', administratorGroup: 'platform' }),
    webhooks: hastyDeliveries,
  });
  idp.serve(trellis.url);
});
afterAll(async () => {
  await trellis?.close();
  await receiver?.close();
  await idp?.close();
});

const dayMs = 86_400_000;

interface Person {
  sub: string;
  uid: number;
  client: CookieClient;
  token: string;
}

/** Somebody who has signed in, with an access token. */
async function signedIn(groups: string[]): Promise<Person> {
  const sub = unique('sub');
  idp.accounts.set(sub, { email: `${sub}@shop.example`, email_verified: true, name: sub, groups });
  const client = new CookieClient();
  expect((await signIn(trellis, client, sub)).status).toBe(303);
  const { body } = await inSession(
    trellis,
    client,
    'mutation { createAccessToken(input: { name: "own" }) { ... on CreateAccessTokenPayload { secret accessToken { user { uid } } } } }',
  );
  const { secret, accessToken } = body.data.createAccessToken;
  return { sub, uid: accessToken.user.uid, client, token: secret };
}

const setRole = (teamId: string, group: string, role: string) =>
  trellis.succeed('setGroupRole', { team: { teamId }, group, role }, '__typename');

const linkOf = async ({ uid }: Person) =>
  (await trellis.services.db.identity.findManyByKeys({ by: 'userId', keys: [uid] }))[0]!;

/** As if the provider had not confirmed the groups of the person for some days. */
const setConfirmed = ({ uid: userId }: Person, groupsConfirmedAt: Date | null) =>
  trellis.services.db.transaction((tx) =>
    tx.identity.update({ where: { userId }, data: { groupsConfirmedAt } }),
  );

const lapse = () =>
  lapseUnconfirmed(trellis.services.db, { before: new Date(Date.now() - 30 * dayMs), now: new Date() });

async function askAgain({ uid: userId }: Person): Promise<void> {
  const recheckAt = new Date(Date.now() - 60_000);
  await trellis.services.db.transaction((tx) =>
    tx.session.updateMany({ where: { userId }, data: { recheckAt } }),
  );
  trellis.services.db.channel.publish(new Set(['rights']));
}

const teamsOf = async (token: string): Promise<string[]> =>
  (await trellis.data('{ teams { nodes { uid } } }', {}, token)).teams.nodes.map(({ uid }: any) => uid);

/** Everything by which somebody can get into a team. */
async function doorsOf(
  person: Person,
  teamId: string,
  teamName: string,
  hook: Hook,
  serviceAccountId: string,
) {
  const cookie = `trellis=${person.client.cookies.get(trellis.url)!.get('trellis')}`;
  const query = `subscription { events(team: { teamId: "${teamId}" }) { action } }`;
  const page = await subscribe(trellis, query, { token: null, headers: { cookie, origin: trellis.url } });
  expect(await page.hasBegun).toBe(true);
  const team = `{ team(by: { teamId: "${teamId}" }) { uid } }`;
  const cli = cliFor(trellis, gatewayOf(trellis, person.token));
  return {
    page,
    session: async () => (await inSession(trellis, person.client, team)).body.data?.team?.uid === teamId,
    token: async () => (await teamsOf(person.token)).includes(teamId),
    commandLine: async () => (await cli(['ls', '-t', teamName])).status === 0,
    deployHook: async () => (await call(trellis, hook)).status === 202,
    async webhookDocument() {
      const inserted = await insertWebhook(trellis, {
        teamId,
        url: receiver.url,
        document: team,
        serviceAccountId,
      });
      await insertDeliveries(trellis, inserted, ['Port/3']);
      const [delivery] = await finishedDeliveries(trellis, inserted);
      const message = receiver.messages.find(({ headers }) => headers['webhook-id'] === delivery!.messageId);
      return message!.payload.data?.team?.uid === teamId;
    },
  };
}

/** The code with which a subscription ends, after the events before that. */
async function endOf(page: Awaited<ReturnType<typeof subscribe>>): Promise<string | undefined> {
  for (;;) {
    const item = await page.next();
    const [error] = item?.data.errors ?? [];
    if (!item || error) return error?.extensions.code;
  }
}

async function scene() {
  const { team, componentId } = await hookedComponent(trellis);
  const group = unique('group');
  await setRole(team.teamId, group, 'ADMIN');
  const person = await signedIn([group]);
  const hook = await createHook(trellis, { componentId }, person.token);
  const { serviceAccountId } = await createAccount(trellis, team.teamId);
  const doors = await doorsOf(person, team.teamId, team.name, hook, serviceAccountId);
  const areOpen = async () => ({
    session: await doors.session(),
    token: await doors.token(),
    commandLine: await doors.commandLine(),
    deployHook: await doors.deployHook(),
    webhookDocument: await doors.webhookDocument(),
  });
  return { team, person, doors, areOpen };
}

/** What belongs to the team rather than to a person. */
const ofTheTeam = { deployHook: true, webhookDocument: true };

describe('somebody who leaves', () => {
  it('a group, loses all that it gave when the provider is asked again', async () => {
    const { person, doors, areOpen } = await scene();
    expect(await areOpen()).toEqual({ session: true, token: true, commandLine: true, ...ofTheTeam });
    idp.accounts.get(person.sub)!.groups = [];
    await askAgain(person);
    expect(await endOf(doors.page)).toBe('NOT_FOUND');
    expect(await areOpen()).toEqual({ session: false, token: false, commandLine: false, ...ofTheTeam });
    doors.page.close();
  });

  it('the organization, loses the session at once, and what groups gave when that lapses', async () => {
    const { person, doors, areOpen } = await scene();
    idp.accounts.delete(person.sub);
    await askAgain(person);
    expect(await endOf(doors.page)).toBe('UNAUTHENTICATED');
    expect(await areOpen()).toEqual({ session: false, token: true, commandLine: true, ...ofTheTeam });
    await setConfirmed(person, new Date(Date.now() - 31 * dayMs));
    await lapse();
    expect(await areOpen()).toEqual({ session: false, token: false, commandLine: false, ...ofTheTeam });
    doors.page.close();
  });

  it('and is deactivated, loses everything of their own at once', async () => {
    const { person, doors } = await scene();
    await trellis.succeed('updateUser', { user: { userId: person.uid }, isActive: false }, '__typename');
    expect(await endOf(doors.page)).toBe('UNAUTHENTICATED');
    const { data, errors } = await trellis.graphql('{ teams { nodes { uid } } }', {}, person.token);
    expect([data, errors![0]!.extensions.code]).toEqual([undefined, 'UNAUTHENTICATED']);
    expect(await doors.session()).toBe(false);
    expect(await doors.commandLine()).toBe(false);
    expect(await doors.deployHook()).toBe(true);
    doors.page.close();
  });
});

describe('what groups have given', () => {
  it('lapses when nothing has confirmed it for the number of days, and not before', async () => {
    const { teamId } = await trellis.createTeam();
    const group = unique('group');
    await setRole(teamId, group, 'DEVELOPER');
    const person = await signedIn([group, 'platform']);
    const isAdministrator = async () =>
      (await trellis.data('{ viewer { isAdministrator } }', {}, person.token)).viewer.isAdministrator;
    await setConfirmed(person, new Date(Date.now() - 29 * dayMs));
    await lapse();
    expect([await isAdministrator(), (await teamsOf(person.token)).includes(teamId)]).toEqual([true, true]);
    await setConfirmed(person, new Date(Date.now() - 31 * dayMs));
    await lapse();
    expect([await isAdministrator(), await teamsOf(person.token)]).toEqual([false, []]);
    const query = `{ team(by: { teamId: "${teamId}" }) { events(first: 1) { nodes { action user { uid } } } } }`;
    expect((await trellis.data(query)).team.events.nodes).toEqual([
      { action: 'team.remove_member', user: null },
    ]);
    expect((await signIn(trellis, person.client, person.sub)).status).toBe(303);
    expect(await isAdministrator()).toBe(true);
  });

  it('is confirmed by sign-ins, and by answers that name the groups', async () => {
    const person = await signedIn([]);
    const long = new Date(Date.now() - 20 * dayMs);
    const confirmedAfter = async (work: () => Promise<unknown>) => {
      await setConfirmed(person, long);
      await work();
      return (await linkOf(person)).groupsConfirmedAt!.getTime() > long.getTime();
    };
    const ask = async () => {
      await askAgain(person);
      expect((await inSession(trellis, person.client, '{ viewer { isAdministrator } }')).status).toBe(200);
    };
    expect(await confirmedAfter(ask)).toBe(true);
    delete idp.accounts.get(person.sub)!.groups;
    expect(await confirmedAfter(ask)).toBe(false);
    expect(await confirmedAfter(() => signIn(trellis, person.client, person.sub))).toBe(true);
  });

  it('begins to count where it was not known, and stays where it has to', async () => {
    const { teamId } = await trellis.createTeam();
    const group = unique('group');
    await setRole(teamId, group, 'OWNER');
    const person = await signedIn([group]);
    const other = await signedIn([]);
    await setConfirmed(person, null);
    await setConfirmed(other, null);
    await lapse();
    expect((await linkOf(person)).groupsConfirmedAt).not.toBeNull();
    expect((await linkOf(other)).groupsConfirmedAt).toBeNull();
    await trellis.services.db.transaction((tx) =>
      tx.membership.deleteMany({ where: { teamId, userId: { not: person.uid } } }),
    );
    await setConfirmed(person, new Date(Date.now() - 31 * dayMs));
    await lapse();
    expect(await teamsOf(person.token)).toEqual([teamId]);
    expect((await linkOf(person)).groupsConfirmedAt).toBeNull();
  });

  it('does not include memberships that were made by hand', async () => {
    const { teamId } = await trellis.createTeam();
    const person = await signedIn([]);
    const member = { team: { teamId }, user: { email: `${person.sub}@shop.example` }, role: 'VIEWER' };
    await trellis.succeed('addTeamMember', member, '__typename');
    await setConfirmed(person, new Date(Date.now() - 400 * dayMs));
    await lapse();
    expect(await teamsOf(person.token)).toEqual([teamId]);
  });
});
