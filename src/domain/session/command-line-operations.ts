import { hash } from 'node:crypto';
import type { Context, Services } from '../../context.ts';
import type { Transaction } from '../../db/open.ts';
import type { Row } from '../../db/tables.ts';
import type { ChangeContext } from '../../db/write/change.ts';
import { withConflict } from '../../db/write/conflict.ts';
import type { ProvidedIdentity } from '../../drivers/identity/driver.ts';
import { createLoaders } from '../../kernel/batch.ts';
import { ConflictError, SignInRefusedError, UnauthenticatedError } from '../../kernel/errors.ts';
import { issueAccessToken, revokeOldAccessTokens } from '../access-token/operations.ts';
import { loadUser, ownUser } from '../user/reads.ts';
import { userOfIdentity } from './identity-operations.ts';
import type { SessionSettings } from './model.ts';
import { acceptedSessions, sessionActorWithin } from './reads.ts';
import { insertUsed } from './rows.ts';

/** The name of the tokens of command lines, and how many of them a user keeps. */
const [tokenName, keptTokens] = ['trellis login', 10];

type Database = Pick<Services, 'db'>;

/** The functions for signing in command lines. */
export const commandLineUses = ({ db }: Database, settings: SessionSettings) => ({
  emailOf: async (context: Context): Promise<string> =>
    (await loadUser(context, ownUser(context).userId)).email,

  async issueInSession(code: Code, requestId: string) {
    const { sessionId } = code;
    const [accepted] = await acceptedSessions(db, [sessionId], settings);
    if (!accepted) throw new UnauthenticatedError();
    await useOnce(db, code);
    const { actor, row } = accepted;
    const [user] = await db.user.findManyByKeys({ by: 'id', keys: [row.userId] });
    const context = {
      db,
      requestId,
      loaders: createLoaders(),
      actor,
      actorIn: (tx: Transaction) => sessionActorWithin(db, tx, sessionId),
    };
    return issue(user!, context, settings);
  },

  async issueFor(identity: ProvidedIdentity, requestId: string) {
    const user = await userOfIdentity({ db }, identity, requestId);
    const { id: userId, enterpriseId } = user;
    const actor = { userId, serviceAccountId: null, tokenId: null, enterpriseId, isReadOnly: false };
    return issue(user, { db, requestId, loaders: createLoaders(), actor }, settings);
  },
});

interface Code {
  sessionId: string;
  challenge: string;
}

/** After this, the code is refused because it is too old. */
const forgottenAfterMs = 600_000;

/** Throws SignInRefusedError if a token was issued for the challenge: somebody else has seen the code and its verifier. */
async function useOnce(db: Database['db'], { sessionId, challenge }: Code): Promise<void> {
  const id = hash('sha256', JSON.stringify(['command line', sessionId, challenge]), 'hex');
  const expiresAt = new Date(Date.now() + forgottenAfterMs);
  try {
    await db.transaction((tx) => insertUsed(tx, { id, expiresAt }));
  } catch (error) {
    if (!(withConflict(error) instanceof ConflictError)) throw error;
    throw new SignInRefusedError('used code', 'The code was already used. Run “trellis login” again.');
  }
}

/** A token that lasts as long as a session can. The oldest ones of many command lines are revoked. */
async function issue(
  { id, nickName, email }: Row<'User'>,
  context: ChangeContext,
  { maxMs }: SessionSettings,
) {
  const expiresAt = new Date(Date.now() + maxMs);
  await revokeOldAccessTokens(context, id, tokenName, keptTokens - 1);
  const { secret } = await issueAccessToken(
    context,
    { userId: id },
    { name: tokenName, expiresAt, isReadOnly: false },
  );
  return { token: secret, expiresAt, user: { nickName, email } };
}
