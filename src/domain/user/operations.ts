import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change } from '../../db/write/change.ts';
import { fold } from '../../kernel/validate.ts';
import type { CreateUser } from './model.ts';
import { requireAdministrator } from './reads.ts';

export async function createUser(context: Context, input: CreateUser): Promise<Row<'User'>> {
  requireAdministrator(context, 'create users');
  const email = input.email.toLowerCase();
  return change(
    context,
    'user.create',
    async ({ tx, recordEvent }) => {
      const user = await tx.user.create({
        data: {
          enterpriseId: context.actor.enterpriseId,
          email,
          nickName: input.nickName,
          phone: input.phone ?? '',
          isAdministrator: input.isAdministrator ?? false,
          createdAt: new Date(),
          folded: fold(email, input.nickName),
        },
      });
      recordEvent({ subject: { type: 'User', id: user.id }, after: user });
      return user;
    },
    () => `A user with the email address ${email} already exists.`,
  );
}
