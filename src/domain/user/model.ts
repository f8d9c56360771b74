import { z } from 'zod';
import { identifier, integerId, reference } from '../../kernel/reference.ts';
import { displayName, displayText } from '../../kernel/validate.ts';

export const userRef = reference('user', {
  userId: integerId('The number of the user.'),
  email: identifier('The e-mail address of the user.'),
});
export type UserRef = z.infer<typeof userRef>;

export const createUser = z.strictObject({
  email: z.email().max(254).describe('E-mail address, unique in the enterprise; kept in lower case.'),
  nickName: displayName(64).describe('Name shown to people.'),
  phone: displayText(32).nullish().describe('Phone number.'),
  isAdministrator: z.boolean().nullish().describe('Whether it administers the enterprise; false by default.'),
});
export type CreateUser = z.infer<typeof createUser>;
