import { z } from 'zod';
import { roles } from '../../kernel/access.ts';
import { identifier, reference } from '../../kernel/reference.ts';
import { displayName, dnsLabel } from '../../kernel/validate.ts';
import { userRef } from '../user/model.ts';

export const teamRef = reference('team', {
  teamId: identifier('The `uid` of the team.'),
  name: identifier('The name of the team.'),
});
export type TeamRef = z.infer<typeof teamRef>;

export const teamRole = z.enum(roles);

export const createTeam = z.strictObject({
  name: dnsLabel().describe(
    'Unique name in the enterprise: a DNS label, since it stands in default domains.',
  ),
  alias: displayName(64).nullish().describe('Name shown to people; the name by default.'),
  owner: userRef.nullish().describe('Its first owner; the caller by default.'),
});
export type CreateTeam = z.infer<typeof createTeam>;

export const addTeamMember = z.strictObject({
  team: teamRef.describe('The team.'),
  user: userRef.describe(
    'The user who joins: by e-mail address anybody of the enterprise, otherwise a user that the caller may see.',
  ),
  role: teamRole.describe('What it may do. Only owners make owners.'),
});
export type AddTeamMember = z.infer<typeof addTeamMember>;

export const removeTeamMember = z.strictObject({
  team: teamRef.describe('The team.'),
  user: userRef.describe('Who leaves.'),
});
export type RemoveTeamMember = z.infer<typeof removeTeamMember>;

export const teamOrders = {
  NAME: ['name', 'id'],
  CREATED_AT: ['createdAt', 'id'],
} as const;
