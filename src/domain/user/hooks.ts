import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';

/** Called in the transaction of a sign-in, with the groups of the user at the identity provider. The user is locked. */
export type SignInHook = (write: Write, user: Row<'User'>, groups: readonly string[]) => Promise<void>;

/** The hooks of the concepts below this one. `api.ts` lists them. */
export const signInHooks: SignInHook[] = [];
