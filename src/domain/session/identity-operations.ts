import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Services } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change, type Write, withAction } from '../../db/write/change.ts';
import { lockRows } from '../../db/write/locks.ts';
import type { ProvidedIdentity } from '../../drivers/identity/driver.ts';
import { ConflictError, SignInRefusedError } from '../../kernel/errors.ts';
import { displayName } from '../../kernel/validate.ts';
import { asTrellis, firstEnterprise } from '../access-token/bootstrap-operations.ts';
import { signInHooks } from '../user/hooks.ts';
import { insertUser, setUser } from '../user/rows.ts';
import { linkIdentity, setGrantsAdministration, setGroupsConfirmed } from './identity-rows.ts';

/** The id of the enterprise whose users sign in with the identity provider: the first one. */
export async function enterpriseOfSignIns({ db }: Pick<Services, 'db'>): Promise<string> {
  const keys = [firstEnterprise.name];
  const [enterprise] = await db.enterprise.findManyByKeys({ by: 'name', keys, fields: ['id'] });
  return enterprise!.id;
}

/**
 * The user of an account of the identity provider, as the provider describes them now: the linked one; at the first sign-in the one
 * with the verified email address, unless linked before; or a new one. Throws SignInRefusedError if the user is inactive.
 */
export async function userOfIdentity(
  services: Pick<Services, 'db'>,
  identity: ProvidedIdentity,
  requestId: string,
): Promise<Row<'User'>> {
  const context = asTrellis(services.db, await enterpriseOfSignIns(services), requestId);
  const follow = () =>
    change(context, 'user.update', async (write) => {
      const linked = await linkedUser(write, context.actor.enterpriseId, identity);
      return followGroups(write, linked, identity);
    });
  // Of two first sign-ins at the same time, the second one finds what the first one has linked.
  return follow().catch((error) => {
    if (error instanceof ConflictError) return follow();
    throw error;
  });
}

/** Gives the user what their groups give now, and takes away what others gave. Without groups, those are none. */
export async function followGroups(
  write: Write,
  linked: Linked,
  identity: ProvidedGroups,
): Promise<Row<'User'>> {
  const user = await applyGroups(write, linked, identity);
  requireActive(user);
  await setGroupsConfirmed(write.tx, user.id, new Date());
  return user;
}

type ProvidedGroups = Pick<ProvidedIdentity, 'groups' | 'isAdministrator'>;

async function applyGroups(write: Write, linked: Linked, identity: ProvidedGroups): Promise<Row<'User'>> {
  const user = await followAdministration(write, linked, identity);
  for (const hook of signInHooks) await hook(write, user, identity.groups ?? []);
  return user;
}

/** Takes away what groups have given to a user, if the provider has not named them since a time. */
export async function lapseGroups(write: Write, user: Row<'User'>, before: Date): Promise<void> {
  const { id: userId, enterpriseId } = user;
  // As sign-ins do, which can confirm the groups until then.
  await lockRows(write, 'Enterprise', enterpriseId);
  await lockRows(write, 'User', userId);
  const link = await write.tx.identity.findUnique({ where: { userId } });
  if (!link?.groupsConfirmedAt || link.groupsConfirmedAt >= before) return;
  await applyGroups(write, { user, link }, { groups: [], isAdministrator: false });
  // A membership that has to stay, such as that of the last owner of a team, is tried again after the same time.
  await setGroupsConfirmed(write.tx, userId, null);
}

interface Linked {
  user: Row<'User'>;
  link: Row<'Identity'>;
}

async function linkedUser(write: Write, enterpriseId: string, identity: ProvidedIdentity): Promise<Linked> {
  const { tx } = write;
  const { issuer, subject } = identity;
  const link = await tx.identity.findUnique({ where: { issuer_subject: { issuer, subject } } });
  if (link) {
    const user = await tx.user.findUniqueOrThrow({ where: { id: link.userId } });
    requireActive(user);
    return { user: await withVerifiedEmail(write, user, identity), link };
  }
  const user =
    (await unlinkedUser(write, enterpriseId, identity)) ?? (await newUser(write, enterpriseId, identity));
  return { user, link: await linkIdentity(write, user.id, identity) };
}

/** The user with the verified email address, unless linked with this provider before: the organization can have changed its provider. */
async function unlinkedUser(
  { tx }: Write,
  enterpriseId: string,
  identity: ProvidedIdentity,
): Promise<Row<'User'> | undefined> {
  const email = emailOf(identity);
  if (email === undefined) return undefined;
  const user = await tx.user.findUnique({ where: { enterpriseId_email: { enterpriseId, email } } });
  if (!user) return undefined;
  requireActive(user);
  const link = await tx.identity.findUnique({ where: { userId: user.id } });
  if (link?.issuer === identity.issuer) {
    // Another first sign-in has linked it after this transaction looked for the link.
    if (link.subject === identity.subject)
      throw new ConflictError('Another request linked the account at the same time. Sign in again.');
    throw new SignInRefusedError(
      `user ${user.id} is linked with another account`,
      'Another account of the identity provider has signed in with your email address before. Ask an administrator.',
    );
  }
  return user;
}

function newUser(write: Write, enterpriseId: string, identity: ProvidedIdentity): Promise<Row<'User'>> {
  const email = emailOf(identity) ?? placeholderOf(identity);
  const name = displayName(64).safeParse((identity.name ?? '').slice(0, 64));
  return insertUser(withAction(write, 'user.create'), {
    enterpriseId,
    email,
    nickName: name.success ? name.data : email.slice(0, email.indexOf('@')).slice(0, 64),
    isAdministrator: false,
    origin: 'identity_provider',
    createdAt: new Date(),
  });
}

/** Replaces the placeholder of a user whose address is verified now, unless another user has it. */
async function withVerifiedEmail(
  write: Write,
  user: Row<'User'>,
  identity: ProvidedIdentity,
): Promise<Row<'User'>> {
  const { enterpriseId } = user;
  const email = emailOf(identity);
  if (email === undefined || !user.email.endsWith(placeholderDomain)) return user;
  const other = await write.tx.user.findUnique({ where: { enterpriseId_email: { enterpriseId, email } } });
  return other ? user : setUser(write, user, { email });
}

const placeholderDomain = '@unverified.invalid';

function emailOf({ email }: ProvidedIdentity): string | undefined {
  // Before the lower case, in which some letters of other alphabets become those of someone else's address.
  const { data } = z.email().max(254).safeParse(email);
  return data?.toLowerCase();
}

/**
 * The address of a user whose email address is not verified. Others are added to teams by their address, so that someone could take the
 * place of a colleague with an address that nobody has checked.
 */
function placeholderOf({ issuer, subject }: ProvidedIdentity): string {
  const hash = createHash('sha256').update(`${issuer} ${subject}`).digest('hex');
  return `${hash.slice(0, 16)}${placeholderDomain}`;
}

function requireActive({ id, isActive }: Row<'User'>): void {
  if (isActive) return;
  throw new SignInRefusedError(
    `user ${id} is inactive`,
    'Your user is not active. Ask an administrator of your organization to activate it.',
  );
}

/**
 * Follows the group of administrators. It takes away what it has given, and not from the last active administrator. Locks the user
 * until the commit, and the enterprise where an administrator could be lost, as changes of users do.
 */
async function followAdministration(
  write: Write,
  { user, link }: Linked,
  { isAdministrator }: ProvidedGroups,
): Promise<Row<'User'>> {
  const { id, enterpriseId } = user;
  const mayLose = isAdministrator === false && link.grantsAdministration;
  if (mayLose) await lockRows(write, 'Enterprise', enterpriseId);
  await lockRows(write, 'User', id);
  const before = await write.tx.user.findUniqueOrThrow({ where: { id } });
  if (isAdministrator && !before.isAdministrator) {
    await setGrantsAdministration(write, link, true);
    return setUser(write, before, { isAdministrator: true });
  }
  if (!mayLose) return before;
  const others = { enterpriseId, isActive: true, isAdministrator: true, id: { not: id } };
  if (!(await write.tx.user.findFirst({ where: others, select: { id: true } }))) return before;
  await setGrantsAdministration(write, link, false);
  return setUser(write, before, { isAdministrator: false });
}
