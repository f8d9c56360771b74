import type { Values } from '../../form/values.ts';
import { applicationFields, applicationsInput } from '../access/application-fields.tsx';
import { type Member, roleField, roleInput, type Team } from '../roles/role-fields.ts';

interface Options {
  team: Team;
  mayOwn: boolean;
  /** The role at first. */
  value?: string;
  /** The applications that it is limited to at first. */
  limit?: Member['applications'];
}

/** The form for the role of a member, with the applications that it is limited to. */
export const memberForm = (values: Values, { team, mayOwn, value = 'DEVELOPER', limit = null }: Options) => ({
  first: [
    roleField(values, { roles: team.enterprise.roles.nodes, mayOwn, value }),
    ...applicationFields(values, { team: team.id, limit, role: String(values.role ?? value) }),
  ],
  also: ({ role, ...entered }: Values) => ({
    ...roleInput(String(role)),
    applications: applicationsInput(entered, String(role)),
  }),
});
