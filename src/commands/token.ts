// npm run token -- --user EMAIL [--enterprise NAME] [--name NAME] [--read-only] [--expires-in-days N]: prints a new access token
// and nothing else. npm itself prints a heading, except with `npm run --silent token -- …`.

import type { Database } from '../db/open.ts';
import { asTrellis } from '../domain/access-token/bootstrap-operations.ts';
import { createAccessToken } from '../domain/access-token/model.ts';
import { issueAccessToken } from '../domain/access-token/operations.ts';
import { issuesOf } from '../kernel/validate.ts';
import { CommandError, count, options, run, UsageError, withDatabase } from './command.ts';

const usage = `usage: npm run --silent token -- --user EMAIL [--enterprise NAME] [--name NAME] [--read-only] [--expires-in-days N]`;
const dayMs = 24 * 60 * 60 * 1000;

/** The user with this email address, in the given enterprise if several enterprises have one. */
async function userNamed(db: Database, email: string, enterpriseName: string | undefined) {
  const candidates = await db.user.findManyByKeys({
    by: 'email',
    keys: [email],
    fields: ['id', 'enterpriseId', 'isActive'],
  });
  const enterprises = await db.enterprise.findManyByKeys({
    by: 'id',
    keys: candidates.map(({ enterpriseId }) => enterpriseId),
    fields: ['id', 'name'],
  });
  const names = new Map(enterprises.map(({ id, name }) => [id, name]));
  const users = candidates.filter(
    ({ enterpriseId }) => enterpriseName === undefined || names.get(enterpriseId) === enterpriseName,
  );
  if (users.length > 1) {
    const list = [...names.values()].sort().join(', ');
    throw new UsageError(`Several enterprises have a user ${email}. Set --enterprise to one of ${list}`);
  }
  const [user] = users;
  if (!user) throw new CommandError(`There is no user with the email address ${email}.`);
  return user;
}

await run(async () => {
  const values = options({
    user: { type: 'string' },
    enterprise: { type: 'string' },
    name: { type: 'string', default: 'command line' },
    'read-only': { type: 'boolean', default: false },
    'expires-in-days': { type: 'string' },
  });
  if (!values.user) throw new UsageError('--user is required');
  const email = values.user.toLowerCase();
  const name = createAccessToken.shape.name.safeParse(values.name);
  if (!name.success) throw new UsageError(`--name: ${issuesOf(name.error)[0]?.message}`);
  const days = values['expires-in-days'];
  const expiresAt =
    days === undefined ? null : new Date(Date.now() + count('--expires-in-days', days, 36_500) * dayMs);

  await withDatabase(async (db) => {
    const user = await userNamed(db, email, values.enterprise);
    if (!user.isActive) {
      throw new CommandError(`The user ${email} is not active, so its tokens would be rejected.`);
    }
    const { secret } = await issueAccessToken(
      asTrellis(db, user.enterpriseId, 'token command'),
      { userId: user.id },
      {
        name: name.data,
        isReadOnly: values['read-only'],
        expiresAt,
      },
    );
    process.stdout.write(`${secret}\n`);
  });
}, usage);
