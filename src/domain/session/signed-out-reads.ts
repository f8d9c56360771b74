import { hash } from 'node:crypto';
import type { Transaction } from '../../db/open.ts';
import type { Row } from '../../db/tables.ts';
import type { ProvidedIdentity, ProvidedLogout } from '../../drivers/identity/driver.ts';
import { SignInRefusedError } from '../../kernel/errors.ts';

/** For how long it is known that somebody has signed out. No sign-in takes as long. */
const knownMs = 3_600_000;

const idOf = (...parts: string[]) => hash('sha256', JSON.stringify(['signed out', ...parts]), 'hex');

const marks = {
  session: (session: string) => idOf('session', session),
  /** All sessions of a person. */
  everywhere: ({ issuer, subject }: Account) => idOf('everywhere', issuer, subject),
  /** One session of a person, which can be any that the provider has not named. */
  somewhere: ({ issuer, subject }: Account) => idOf('somewhere', issuer, subject),
};

interface Account {
  issuer: string;
  subject: string;
}

/** The stored form of a message that somebody has signed out. */
export function signedOutBy({ issuer, subject, session, issuedAt }: ProvidedLogout): Row<'LogoutToken'>[] {
  const account = subject === undefined ? undefined : { issuer, subject };
  const ids =
    session === undefined
      ? account && [marks.everywhere(account)]
      : [marks.session(session), ...(account ? [marks.somewhere(account)] : [])];
  const expiresAt = new Date(issuedAt.getTime() + knownMs);
  return (ids ?? []).map((id) => ({ id, expiresAt }));
}

/**
 * Throws SignInRefusedError if the person has signed out at the provider since it has answered: the session would not have been
 * there to be ended. Both times are by the clock of the provider, in seconds.
 */
export async function requireNotSignedOut(
  tx: Transaction,
  identity: Pick<ProvidedIdentity, 'issuer' | 'subject' | 'session' | 'issuedAt'>,
): Promise<void> {
  const { session, issuedAt } = identity;
  const ids = [
    marks.everywhere(identity),
    session === undefined ? marks.somewhere(identity) : marks.session(session),
  ];
  const expiresAt = { gte: new Date(issuedAt.getTime() + knownMs) };
  const found = await tx.logoutToken.findFirst({
    where: { id: { in: ids }, expiresAt },
    select: { id: true },
  });
  if (!found) return;
  throw new SignInRefusedError(
    'signed out meanwhile',
    'You signed out at the identity provider during this sign-in. Sign in again.',
  );
}
