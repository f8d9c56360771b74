import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';

/** The components that use a credential, locked for a change of it. */
export interface CredentialUse {
  /** Their aliases. */
  names: readonly string[];
  /** Has the clusters follow. Called after the change. */
  apply(): Promise<void>;
}

/** Hooks for rows that use a credential, called in the transaction that changes it. */
export interface RegistryCredentialHooks {
  /** Locks rows that other changes lock before the credential. */
  changing(write: Write<Context>, credential: Row<'RegistryCredential'>): Promise<CredentialUse>;
}

/** The hooks of the concepts below this one. `api.ts` lists them. */
export const registryCredentialHooks: RegistryCredentialHooks[] = [];
