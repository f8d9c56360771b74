import { z } from 'zod';
import { identifier, integerId, reference } from '../../kernel/reference.ts';
import { boundedString, displayName, displayText, expectedRevision } from '../../kernel/validate.ts';

export const userRef = reference('user', {
  userId: integerId('The numeric id of the user.'),
  email: identifier('The email address of the user.'),
});
export type UserRef = z.infer<typeof userRef>;

export const createUser = z.strictObject({
  email: boundedString(254)
    .check(z.email())
    .describe('The email address, unique in the enterprise. Stored in lower case.'),
  nickName: displayName(64).describe('The display name.'),
  phone: displayText(32).nullish().describe('The phone number.'),
  isAdministrator: z
    .boolean()
    .nullish()
    .describe('Whether the user is an administrator of the enterprise. Defaults to false.'),
});
export type CreateUser = z.infer<typeof createUser>;

export const updateUser = z.strictObject({
  user: userRef
    .nullish()
    .describe('The user to change. Defaults to the caller. Omitted fields are unchanged.'),
  nickName: displayName(64).nullish().describe('The display name.'),
  phone: displayText(32).nullish().describe('The phone number. Set to null to remove it.'),
  isActive: z
    .boolean()
    .nullish()
    .describe(
      'Whether the user is active. The access tokens of an inactive user are rejected. Requires an enterprise administrator.',
    ),
  isAdministrator: z
    .boolean()
    .nullish()
    .describe(
      'Whether the user is an administrator of the enterprise. Requires an enterprise administrator.',
    ),
  expectedRevision: expectedRevision('the user'),
});
export type UpdateUser = z.infer<typeof updateUser>;
