import '../../styles/people.css';
import { ActionBar } from '../../act/action-bar.tsx';
import { itemOf, present } from '../../act/items.tsx';
import { lazyDialog } from '../../act/lazy-dialog.tsx';
import { wordsOf } from '../../act/words.ts';
import { usePages, useView } from '../../api/view.ts';
import { MembersQuery } from '../../documents/people.ts';
import { Loading, Missing, PartialError, Section, Table } from '../../ui/blocks.tsx';
import { LoadMore, restOf } from '../../ui/load-more.tsx';
import { Tag } from '../../ui/status.tsx';
import { TeamHead } from '../../ui/team-head.tsx';
import { Time } from '../../ui/time.tsx';
import { applicationFields, applicationsInput } from '../access/application-fields.tsx';
import { GroupRoles } from '../groups/group-roles.tsx';
import { type Member, roleField, roleInput, roleValue, type Team } from '../roles/role-fields.ts';
import { text } from '../strings.ts';

const words = text.members;

const AddMemberDialog = lazyDialog(async () => (await import('./add-member-dialog.tsx')).AddMemberDialog);

/** The members of a team, and the roles that groups have in it. */
export function MembersPage({ name }: { name: string }) {
  const by = { name };
  const { data, error, isLoading, retry } = useView(MembersQuery, { by });
  const pages = usePages();
  if (isLoading) return <Loading />;
  const team = data?.team;
  if (!team) return <Missing error={error} retry={retry} />;
  const { isAdministrator, user } = data.viewer;
  // Only owners can add owners.
  const mayOwn = isAdministrator || team.roles.some(({ role }) => role === 'OWNER');
  const addItem = {
    key: 'add-member',
    label: words.add,
    open: (close: () => void) => (
      <AddMemberDialog
        team={team}
        isAdministrator={isAdministrator}
        mayOwn={mayOwn}
        draft="add-member"
        close={close}
      />
    ),
  };
  const more = restOf(team.members, (after) => pages.load(MembersQuery, { by, after }));
  return (
    <>
      <TeamHead
        name={name}
        alias={team.alias}
        tab="members"
        actions={team.mayAdd && <ActionBar items={[addItem]} />}
      />
      <PartialError error={error} />
      <Section title={words.title} count={team.members.totalCount}>
        <Table label={words.label} columns={Object.values(words.columns)} empty={words.empty}>
          {team.members.nodes.map((member) => (
            <Row
              key={member.id}
              member={member}
              team={team}
              mayOwn={mayOwn}
              isOwn={member.user.id === user?.id}
            />
          ))}
        </Table>
        {more && <LoadMore {...more} />}
      </Section>
      <GroupRoles team={team} mayOwn={mayOwn} />
    </>
  );
}

interface RowProps {
  member: Member;
  team: Team;
  mayOwn: boolean;
  isOwn: boolean;
}

function Row({ member, team, mayOwn, isOwn }: RowProps) {
  const { user, role, customRole, applications, isFromGroup, joinedAt } = member;
  const items = isFromGroup
    ? []
    : present(
        team.mayChange && (mayOwn || role !== 'OWNER') && changeItem({ member, team, mayOwn }),
        (isOwn || (team.mayRemove && (mayOwn || role !== 'OWNER'))) && removeItem({ member, team, isOwn }),
      );
  return (
    <tr>
      <td>
        <span className="row wrap">
          {user.nickName || user.email}
          {isOwn && <Tag tone="good">{words.you}</Tag>}
          {!user.isActive && <Tag tone="warn">{words.inactive}</Tag>}
        </span>
        <div className="soft small break">{user.email}</div>
      </td>
      <td>
        <span className="row wrap">
          {customRole?.name ?? text.roles.names[role]}
          {isFromGroup && (
            <span title={words.byGroup}>
              <Tag>{words.fromGroup}</Tag>
            </span>
          )}
        </span>
      </td>
      <td className="soft">
        {applications === null
          ? words.wholeTeam
          : applications.map((each) => each.name).join(', ') || words.noneVisible}
      </td>
      <td className="soft">
        <Time at={joinedAt} />
      </td>
      <td className="row-actions">
        <ActionBar isSmall items={items} />
      </td>
    </tr>
  );
}

const nameOf = ({ user }: Member) => user.nickName || user.email;

function changeItem({ member, team, mayOwn }: Omit<RowProps, 'isOwn'>) {
  const value = roleValue(member);
  const roles = team.enterprise.roles.nodes;
  return itemOf(`change ${member.id}`, {
    ...wordsOf(words, 'change', nameOf(member)),
    submit: words.save,
    mutation: 'changeTeamMemberRole',
    fields: (values) => [
      roleField(values, { roles, mayOwn, value }),
      ...applicationFields(values, {
        team: team.id,
        limit: member.applications,
        role: String(values.role ?? value),
      }),
    ],
    input: (values) => {
      const role = String(values.role);
      return {
        team: { id: team.id },
        user: { id: member.user.id },
        ...roleInput(role),
        applications: applicationsInput(values, role),
        expectedRevision: member.revision,
      };
    },
  });
}

const removeItem = ({ member, team, isOwn }: Omit<RowProps, 'mayOwn'>) =>
  itemOf(`remove ${member.id}`, {
    label: isOwn ? words.leave : words.remove,
    title: isOwn ? words.leaveTitle(team.alias) : words.removeTitle(nameOf(member), team.alias),
    intro: isOwn ? words.leaveIntro : words.removeIntro(nameOf(member)),
    mutation: 'removeTeamMember',
    target: {
      team: { id: team.id },
      user: { id: member.user.id },
      expectedRevision: member.revision,
    },
  });
