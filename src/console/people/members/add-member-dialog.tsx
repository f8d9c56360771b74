import { useRef } from 'react';
import { useAct } from '../../act/act.ts';
import type { Change } from '../../act/action.ts';
import { dialogOf } from '../../act/dialog.tsx';
import type { Failure } from '../../form/failure.ts';
import type { Field, Values } from '../../form/values.ts';
import type { Team } from '../roles/role-fields.ts';
import { text } from '../strings.ts';
import { memberForm } from './member-form.ts';
import { UserPicker } from './user-picker.tsx';

const { fields: labels, hints } = text.members;

interface Props {
  team: Team;
  /** Whether the caller can search all users, and create them. */
  isAdministrator: boolean;
  mayOwn: boolean;
  draft: string;
  close(): void;
}

/** Adds a colleague to a team. An administrator creates them at once if they are not a user yet. */
export function AddMemberDialog({ team, isAdministrator, mayOwn, draft, close }: Props) {
  const createUser = useAct('createUser');
  // A user who was created stays when they could not be added.
  const created = useRef(new Set<string>());

  async function prepare(values: Values): Promise<Failure | undefined> {
    const email = emailIn(values);
    if (values.isUnknown !== true || created.current.has(email)) return undefined;
    const { failure } = await createUser({ email, nickName: String(values.nickName ?? '').trim() });
    if (!failure) {
      created.current.add(email);
      return undefined;
    }
    const issues = failure.issues.map((issue) =>
      issue.path.includes('email') ? { ...issue, path: ['user'] } : issue,
    );
    return { ...failure, issues };
  }

  return dialogOf(close, {
    draft,
    label: text.members.add,
    title: text.members.addTitle(team.alias),
    intro: text.members.addIntro,
    mutation: 'addTeamMember',
    form(values, change) {
      const { first, also } = memberForm(values, { team, mayOwn });
      const unknown = values.isUnknown === true ? [nameField] : [];
      return {
        first: [userField(isAdministrator ? team.id : undefined, change), ...unknown, ...first],
        also: (entered) => ({ user: { email: emailIn(entered) }, ...also(entered) }),
      };
    },
    prepare,
    target: { team: { id: team.id } },
  });
}

const emailIn = (values: Values) =>
  String(values.user ?? '')
    .trim()
    .toLowerCase();

/** `team` only for administrators, who can search all users. */
const userField = (team: string | undefined, change: Change): Field => ({
  name: 'user',
  label: labels.user,
  required: true,
  ...(team
    ? {
        control: (props) => (
          <UserPicker {...props} team={team} know={(isUnknown) => change('isUnknown', isUnknown)} />
        ),
      }
    : { hint: hints.email }),
});

const nameField: Field = {
  name: 'nickName',
  label: labels.name,
  hint: hints.unknown,
  required: true,
};
