import type { Database } from '../../db/open.ts';
import { type ChangeContext, change } from '../../db/write/change.ts';
import { createLoaders } from '../../kernel/batch.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/new-id.ts';
import type { Seal } from '../../kernel/seal.ts';
import { keyCheck } from '../enterprise/key-check-rows.ts';
import { insertEnterprise } from '../enterprise/rows.ts';
import { insertFirstUser } from '../user/rows.ts';
import { newToken } from './operations.ts';
import { insertFirstToken } from './rows.ts';

export const firstEnterprise = { name: 'default', alias: 'Default enterprise' };
export const firstAdministrator = { email: 'admin@trellis.example', nickName: 'admin' };

/** The actor of changes made by Trellis itself. */
export const asTrellis = (db: Database, enterpriseId: string, requestId: string): ChangeContext => ({
  db,
  requestId,
  loaders: createLoaders(),
  actor: { userId: null, serviceAccountId: null, tokenId: null, enterpriseId, isReadOnly: false },
});

/**
 * Sets up an empty database with an enterprise, its first administrator and an access token. Returns
 * the token, or undefined if the database already has an enterprise. With `seal`, other keys are refused from then on.
 */
export async function bootstrap(db: Database, token?: string, seal?: Seal): Promise<string | undefined> {
  const existing = await db.enterprise.findManyByKeys({
    by: 'name',
    keys: [firstEnterprise.name],
    fields: ['id'],
  });
  if (existing.length) return undefined;
  const context = asTrellis(db, newId(), 'bootstrap');
  const secret = token ?? newToken();
  try {
    await change(context, 'enterprise.bootstrap', async (write) => {
      const createdAt = new Date();
      const { enterpriseId } = context.actor;
      const enterprise = { id: enterpriseId, ...firstEnterprise, createdAt };
      const check = seal && { sealedKeyCheck: keyCheck(seal) };
      await insertEnterprise(write, { ...enterprise, ...check }, async () => {
        const administrator = { enterpriseId, ...firstAdministrator, isAdministrator: true, createdAt };
        const user = await insertFirstUser(write, { ...administrator, origin: 'bootstrap' });
        await insertFirstToken(write, { userId: user.id, name: 'bootstrap', secret, createdAt });
        return user;
      });
    });
  } catch (error) {
    // Another gateway has set up the database at the same time.
    if (error instanceof ConflictError) return undefined;
    throw error;
  }
  return secret;
}
