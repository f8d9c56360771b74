import '../../styles/people.css';
import { ActionBar } from '../../act/action-bar.tsx';
import { itemOf, present } from '../../act/items.tsx';
import { lazyItem } from '../../act/lazy-item.tsx';
import { Listing } from '../../act/listing.tsx';
import { wordsOf } from '../../act/words.ts';
import { usePages, useView } from '../../api/view.ts';
import { MembersQuery } from '../../documents/people.ts';
import { restOf } from '../../ui/load-more.tsx';
import { Tag } from '../../ui/status.tsx';
import { TeamFrame } from '../../ui/team-head.tsx';
import { Time } from '../../ui/time.tsx';
import { GroupRoles } from '../groups/group-roles.tsx';
import { type Member, roleValue, type Team } from '../roles/role-fields.ts';
import { text } from '../strings.ts';
import { memberForm } from './member-form.ts';

const words = text.members;

const addItem = lazyItem(words.add, async () => (await import('./add-member-dialog.tsx')).AddMemberDialog);

/** The members of a team, and the roles that groups have in it. */
export function MembersPage({ name }: { name: string }) {
  const by = { name };
  const view = useView(MembersQuery, { by });
  const pages = usePages();
  return (
    <TeamFrame
      name={name}
      tab="members"
      view={view}
      actions={(team, { viewer: { isAdministrator } }) =>
        team.mayAdd && (
          <ActionBar
            items={[
              addItem('add-member', { team, isAdministrator, mayOwn: mayOwnIn(team, isAdministrator) }),
            ]}
          />
        )
      }
    >
      {(team, { viewer: { isAdministrator, user } }) => {
        const mayOwn = mayOwnIn(team, isAdministrator);
        const isOwn = (member: Member) => member.user.id === user?.id;
        return (
          <>
            <Listing
              texts={words}
              list={team.members}
              classes={{ where: 'soft', since: 'soft' }}
              cells={(member) => cellsOf(member, isOwn(member))}
              itemsOf={(member) => itemsOf({ member, team, mayOwn, isOwn: isOwn(member) })}
              more={restOf(team.members, (after) => pages.load(MembersQuery, { by, after }))}
            />
            <GroupRoles team={team} mayOwn={mayOwn} />
          </>
        );
      }}
    </TeamFrame>
  );
}

/** Only owners can add owners. */
const mayOwnIn = ({ roles }: Team, isAdministrator: boolean) =>
  isAdministrator || roles.some(({ role }) => role === 'OWNER');

interface MemberProps {
  member: Member;
  team: Team;
  mayOwn: boolean;
  isOwn: boolean;
}

const itemsOf = ({ member, team, mayOwn, isOwn }: MemberProps) =>
  member.isFromGroup
    ? []
    : present(
        team.mayChange && (mayOwn || member.role !== 'OWNER') && changeItem({ member, team, mayOwn }),
        (isOwn || (team.mayRemove && (mayOwn || member.role !== 'OWNER'))) &&
          removeItem({ member, team, isOwn }),
      );

const cellsOf = (
  { user, role, customRole, applications, isFromGroup, joinedAt }: Member,
  isOwn: boolean,
) => ({
  name: (
    <>
      <span className="row wrap">
        {user.nickName || user.email}
        {isOwn && <Tag tone="good">{words.you}</Tag>}
        {!user.isActive && <Tag tone="warn">{words.inactive}</Tag>}
      </span>
      <div className="soft small break">{user.email}</div>
    </>
  ),
  role: (
    <span className="row wrap">
      {customRole?.name ?? text.roles.names[role]}
      {isFromGroup && (
        <span title={words.byGroup}>
          <Tag>{words.fromGroup}</Tag>
        </span>
      )}
    </span>
  ),
  where:
    applications === null
      ? words.wholeTeam
      : applications.map((each) => each.name).join(', ') || words.noneVisible,
  since: <Time at={joinedAt} />,
});

const nameOf = ({ user }: Member) => user.nickName || user.email;

function changeItem({ member, team, mayOwn }: Omit<MemberProps, 'isOwn'>) {
  return itemOf(`change ${member.id}`, {
    ...wordsOf(words, 'change', nameOf(member)),
    submit: words.save,
    mutation: 'changeTeamMemberRole',
    form: (values) =>
      memberForm(values, { team, mayOwn, value: roleValue(member), limit: member.applications }),
    target: { team: { id: team.id }, user: { id: member.user.id }, expectedRevision: member.revision },
  });
}

const removeItem = ({ member, team, isOwn }: Omit<MemberProps, 'mayOwn'>) =>
  itemOf(`remove ${member.id}`, {
    label: isOwn ? words.leave : words.remove,
    title: isOwn ? words.leaveTitle(team.alias) : words.removeTitle(nameOf(member), team.alias),
    intro: isOwn ? words.leaveIntro : words.removeIntro(nameOf(member)),
    mutation: 'removeTeamMember',
    target: { team: { id: team.id }, user: { id: member.user.id }, expectedRevision: member.revision },
  });
