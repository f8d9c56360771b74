import { z } from 'zod';
import { expectedRevision } from '../../kernel/validate.ts';
import { applicationRef } from '../application/model.ts';
import { roleRef } from '../role/model.ts';
import { teamRef, teamRole } from '../team/model.ts';
import { userRef } from '../user/model.ts';

/** The most applications that a member can be limited to. */
const maxApplications = 100;

const membershipFields = {
  role: teamRole.nullish(),
  customRole: roleRef.nullish(),
  applications: z.array(applicationRef).min(1).max(maxApplications).nullish(),
};

interface RoleFields {
  role?: unknown;
  customRole?: unknown;
}
const hasRole = ({ role, customRole }: RoleFields) => role != null || customRole != null;
const noRole = { path: ['role'], message: 'Set `role` or `customRole`' };
const hasOneRole = ({ role, customRole }: RoleFields) => role == null || customRole == null;
const twoRoles = { path: ['customRole'], message: 'Set `role` or `customRole`, not both' };
const isNoLimitedOwner = ({ role, applications }: { role?: unknown; applications?: unknown }) =>
  role !== 'owner' || applications == null;
const noLimitedOwner = { path: ['applications'], message: 'An owner cannot be limited to applications' };

export const addTeamMember = z
  .strictObject({
    team: teamRef.describe('The team.'),
    user: userRef.describe(
      'The user to add. By email address, any user of the enterprise; otherwise a user that is visible to the caller.',
    ),
    role: membershipFields.role.describe(
      'The role of the user in the team. Only owners can add owners. Set `role` or `customRole`.',
    ),
    customRole: membershipFields.customRole.describe('A role of the enterprise, instead of `role`.'),
    applications: membershipFields.applications.describe(
      'The applications that the role is limited to, at most 100. The others are not visible to the member. Defaults to all.',
    ),
  })
  .refine(hasRole, noRole)
  .refine(hasOneRole, twoRoles)
  .refine(isNoLimitedOwner, noLimitedOwner);
export type AddTeamMember = z.infer<typeof addTeamMember>;

export const changeTeamMemberRole = z
  .strictObject({
    team: teamRef.describe('The team.'),
    user: userRef.describe('A member of the team.'),
    role: membershipFields.role.describe(
      'The new role. Only owners can give or take the role of an owner. Set `role` or `customRole`.',
    ),
    customRole: membershipFields.customRole.describe('A role of the enterprise, instead of `role`.'),
    applications: membershipFields.applications.describe(
      'The applications that the role is limited to, at most 100; null for all. Unchanged if omitted.',
    ),
    expectedRevision: expectedRevision('the membership'),
  })
  .refine(hasRole, noRole)
  .refine(hasOneRole, twoRoles)
  .refine(isNoLimitedOwner, noLimitedOwner);
export type ChangeTeamMemberRole = z.infer<typeof changeTeamMemberRole>;

export const removeTeamMember = z.strictObject({
  team: teamRef.describe('The team.'),
  user: userRef.describe('The user to remove.'),
  expectedRevision: expectedRevision('the membership'),
});
export type RemoveTeamMember = z.infer<typeof removeTeamMember>;
