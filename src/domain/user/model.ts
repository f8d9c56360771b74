import { z } from 'zod';
import { identifier, integerId, reference } from '../../kernel/reference.ts';
import { displayName, displayText } from '../../kernel/validate.ts';

export const userRef = reference('user', {
  userId: integerId('The numeric id of the user.'),
  email: identifier('The email address of the user.'),
});
export type UserRef = z.infer<typeof userRef>;

export const createUser = z.strictObject({
  email: z.email().max(254).describe('The email address, unique in the enterprise. Stored in lower case.'),
  nickName: displayName(64).describe('The display name.'),
  phone: displayText(32).nullish().describe('The phone number.'),
  isAdministrator: z
    .boolean()
    .nullish()
    .describe('Whether the user is an administrator of the enterprise. Defaults to false.'),
});
export type CreateUser = z.infer<typeof createUser>;
