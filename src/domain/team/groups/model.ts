import { z } from 'zod';
import { expectedRevision, visibleLine } from '../../../kernel/validate.ts';
import { teamRef, teamRole } from '../model.ts';

/** The most groups that have a role in one team. */
export const maxGroupRoles = 100;

export const setGroupRole = z.strictObject({
  team: teamRef.describe('The team.'),
  group: visibleLine(255).min(1).describe('The group, as the identity provider names it: its name or id.'),
  role: teamRole
    .nullable()
    .describe(
      'The role of the members of the group in the team. Null takes it away. Only owners can give or take the role of an owner.',
    ),
  expectedRevision: expectedRevision('the role of the group'),
});
export type SetGroupRole = z.infer<typeof setGroupRole>;
