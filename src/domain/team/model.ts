import { z } from 'zod';
import { roles } from '../../kernel/actions.ts';
import { identifier, reference } from '../../kernel/reference.ts';
import { displayName, dnsLabel, expectedRevision, plannedChange } from '../../kernel/validate.ts';
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
  ...plannedChange('the team'),
});
export type DeleteTeam = z.infer<typeof deleteTeam>;

export const teamOrders = {
  NAME: ['name', 'id'],
  CREATED_AT: ['createdAt', 'id'],
} as const;
