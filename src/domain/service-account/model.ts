import { z } from 'zod';
import { identifier, reference } from '../../kernel/reference.ts';
import { displayName, expectedRevision, plannedChange } from '../../kernel/validate.ts';
import { teamRef } from '../team/model.ts';

export const serviceAccountRef = reference('service account', {
  serviceAccountId: identifier('The `uid` of the service account.'),
});
export type ServiceAccountRef = z.infer<typeof serviceAccountRef>;

export const serviceAccountRole = z.enum(['viewer', 'developer', 'admin']);

export const createServiceAccount = z.strictObject({
  team: teamRef.describe('The team that the service account belongs to.'),
  name: displayName(64).describe('The unique name in the team.'),
  role: serviceAccountRole.describe('The role of the service account in the team.'),
});
export type CreateServiceAccount = z.infer<typeof createServiceAccount>;

export const updateServiceAccount = z.strictObject({
  serviceAccount: serviceAccountRef.describe('The service account to change. Omitted fields are unchanged.'),
  name: displayName(64).nullish().describe('The new name.'),
  role: serviceAccountRole.nullish().describe('The new role.'),
  expectedRevision: expectedRevision('the service account'),
});
export type UpdateServiceAccount = z.infer<typeof updateServiceAccount>;

export const deleteServiceAccount = z.strictObject({
  serviceAccount: serviceAccountRef.describe('The service account to delete.'),
  ...plannedChange('the service account'),
});
export type DeleteServiceAccount = z.infer<typeof deleteServiceAccount>;
