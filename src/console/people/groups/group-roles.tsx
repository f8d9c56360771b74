import { itemOf, present } from '../../act/items.tsx';
import { Listing } from '../../act/listing.tsx';
import { givenRoles, type Team, type TeamRole } from '../roles/role-fields.ts';
import { text } from '../strings.ts';

const words = text.members;

type GroupRole = Team['groupRoles']['nodes'][number];

/** The roles that groups of the identity provider have in a team. */
export function GroupRoles({ team, mayOwn }: { team: Team; mayOwn: boolean }) {
  const { nodes, totalCount } = team.groupRoles;
  return (
    <Listing
      texts={{ title: words.groups, columns: words.groupColumns, none: words.noGroups }}
      list={{ totalCount: totalCount, nodes: nodes }}
      add={team.maySetGroup && [setItem(team, mayOwn)]}
      intro={<p className="soft section-note">{words.groupsText}</p>}
      classes={{ group: 'break' }}
      cells={(each) => ({ group: each.group, role: text.roles.names[each.role] })}
      itemsOf={(each) =>
        present(team.maySetGroup && (mayOwn || each.role !== 'OWNER') && setItem(team, mayOwn, each))
      }
    />
  );
}

/** The value of the field without a role. */
const none = '';

const setItem = (team: Team, mayOwn: boolean, current?: GroupRole) =>
  itemOf(current ? `group ${current.id}` : 'group', {
    label: current ? words.changeGroup : words.setGroup,
    submit: words.save,
    title: current ? words.ofGroupTitle(current.group) : words.groupTitle,
    intro: words.groupIntro,
    mutation: 'setGroupRole',
    form: ({ role = current?.role ?? 'DEVELOPER' }) => ({
      first: current ? ['role'] : ['group', 'role'],
      labels: words.groupFields,
      hints: { group: words.groupHint, role: text.roles.about[role as TeamRole] },
      fields: {
        role: {
          value: current?.role ?? 'DEVELOPER',
          options: [
            ...givenRoles(mayOwn).map((role) => ({ value: role, text: text.roles.names[role] })),
            ...(current ? [{ value: none, text: words.noRole }] : []),
          ],
        },
      },
      also: ({ role }) => ({ role: role === none ? null : (role as TeamRole) }),
    }),
    target: {
      team: { id: team.id },
      ...(current && { group: current.group }),
      expectedRevision: current?.revision ?? 0,
    },
  });
