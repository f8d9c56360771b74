import { z } from 'zod';
import { roles } from '../../kernel/access.ts';
import { identifier, reference } from '../../kernel/reference.ts';
import { displayName, dnsLabel, dryRunField, expectedRevision } from '../../kernel/validate.ts';
import { userRef } from '../user/model.ts';

export const teamRef = reference('team', {
  teamId: identifier('The `uid` of the team.'),
  name: identifier('The name of the team.'),
});
export type TeamRef = z.infer<typeof teamRef>;

export const teamRole = z.enum(roles);

export const createTeam = z.strictObject({
  name: dnsLabel().describe(
    'The unique name in the enterprise. A DNS label, because it is part of default domains.',
  ),
  alias: displayName(64).nullish().describe('The display name. Defaults to `name`.'),
  owner: userRef.nullish().describe('The first owner of the team. Defaults to the caller.'),
});
export type CreateTeam = z.infer<typeof createTeam>;

export const updateTeam = z.strictObject({
  team: teamRef.describe('The team to change. Omitted fields are unchanged.'),
  alias: displayName(64).nullish().describe('The display name.'),
  expectedRevision: expectedRevision('the team'),
});
export type UpdateTeam = z.infer<typeof updateTeam>;

export const deleteTeam = z.strictObject({
  team: teamRef.describe('The team to delete.'),
  expectedRevision: expectedRevision('the team'),
  dryRun: dryRunField,
});
export type DeleteTeam = z.infer<typeof deleteTeam>;

export const addTeamMember = z.strictObject({
  team: teamRef.describe('The team.'),
  user: userRef.describe(
    'The user to add. By email address, any user of the enterprise; otherwise a user that is visible to the caller.',
  ),
  role: teamRole.describe('The role of the user in the team. Only owners can add owners.'),
});
export type AddTeamMember = z.infer<typeof addTeamMember>;

export const changeTeamMemberRole = z.strictObject({
  team: teamRef.describe('The team.'),
  user: userRef.describe('A member of the team.'),
  role: teamRole.describe('The new role. Only owners can give or take the role of an owner.'),
  expectedRevision: expectedRevision('the membership'),
});
export type ChangeTeamMemberRole = z.infer<typeof changeTeamMemberRole>;

export const removeTeamMember = z.strictObject({
  team: teamRef.describe('The team.'),
  user: userRef.describe('The user to remove.'),
  expectedRevision: expectedRevision('the membership'),
});
export type RemoveTeamMember = z.infer<typeof removeTeamMember>;

export const teamOrders = {
  NAME: ['name', 'id'],
  CREATED_AT: ['createdAt', 'id'],
} as const;
