import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change } from '../../db/write/change.ts';
import type { CreateUser } from './model.ts';
import { requireAdministrator } from './reads.ts';
import { insertUser } from './rows.ts';

export async function createUser(context: Context, input: CreateUser): Promise<Row<'User'>> {
  requireAdministrator(context, 'create users');
  const email = input.email.toLowerCase();
  return change(
    context,
    'user.create',
    (write) =>
      insertUser(write, {
        enterpriseId: context.actor.enterpriseId,
        email,
        nickName: input.nickName,
        phone: input.phone ?? '',
        isAdministrator: input.isAdministrator ?? false,
        createdAt: new Date(),
      }),
    () => `A user with the email address ${email} already exists.`,
  );
}
