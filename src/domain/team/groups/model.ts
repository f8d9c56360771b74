import { z } from 'zod';
import { visibleLine } from '../../../kernel/validate.ts';
import { teamRef, teamRole } from '../model.ts';

/** The most groups that have a role in one team. */
export const maxGroupRoles = 100;

export const setGroupRole = z.strictObject({
  team: teamRef.describe('The team.'),
  group: visibleLine(255).min(1).describe('The group, as the identity provider names it: its name or id.'),
  role: teamRole
    .nullable()
    .describe(
      'The role of the members of the group in the team. If null, the role is removed. Only owners can give or take the role of an owner.',
    ),
  expectedRevision: z
    .int32()
    .min(0)
    .nullish()
    .describe(
      'The expected revision of the role of the group, or 0 if the group must not have a role yet. Fails with CONFLICT otherwise. Not checked if omitted.',
    ),
});
export type SetGroupRole = z.infer<typeof setGroupRole>;
