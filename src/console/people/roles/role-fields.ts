import type { FragmentOf, ResultOf } from '../../api/graphql.ts';
import type { MembersQuery, RoleParts } from '../../documents/people.ts';
import type { Field, Values } from '../../form/values.ts';
import { inWords } from '../access/actions.ts';
import { text } from '../strings.ts';

export type Role = FragmentOf<typeof RoleParts>;
export type Team = NonNullable<ResultOf<typeof MembersQuery>['team']>;
export type Member = Team['members']['nodes'][number];
export type TeamRole = Member['role'];

const order: readonly TeamRole[] = ['VIEWER', 'DEVELOPER', 'ADMIN', 'OWNER'];
const custom = 'role:';

/** The predefined roles that the caller can give. */
export const givenRoles = (mayOwn: boolean) => order.filter((role) => mayOwn || role !== 'OWNER');

/** A predefined role, or one of the enterprise. */
export function roleField(
  values: Values,
  { roles, mayOwn, value = 'DEVELOPER' }: { roles: readonly Role[]; mayOwn: boolean; value?: string },
): Field {
  const chosen = String(values.role ?? value);
  const customRole = roles.find(({ uid }) => custom + uid === chosen);
  return {
    name: 'role',
    label: text.members.fields.role,
    kind: 'select',
    value,
    options: [
      ...givenRoles(mayOwn || value === 'OWNER').map((role) => ({
        value: role,
        text: text.roles.names[role],
      })),
      ...roles.map(({ uid, name }) => ({ value: custom + uid, text: name })),
    ],
    hint: customRole ? roleInWords(customRole) : text.roles.about[chosen as TeamRole],
  };
}

const roleInWords = ({ actions }: Role) =>
  inWords(actions, text.roles.everything)
    .map(([title, verbs]) => `${title}: ${verbs}`)
    .join('; ') || text.roles.about.VIEWER;

/** The value of the field for the role of a member. */
export const roleValue = ({ role, customRole }: Member) => (customRole ? custom + customRole.uid : role);

export const roleInput = (value: string) =>
  value.startsWith(custom)
    ? { customRole: { roleId: value.slice(custom.length) } }
    : { role: value as TeamRole };
