import '../../styles/people.css';
import { ActionBar } from '../../act/action-bar.tsx';
import { ActionTable } from '../../act/action-table.tsx';
import { itemOf } from '../../act/items.tsx';
import { wordsOf } from '../../act/words.ts';
import { usePages, useView } from '../../api/view.ts';
import { RolesQuery } from '../../documents/people.ts';
import { chosenOf, type Values } from '../../form/values.ts';
import { Section, ViewState } from '../../ui/blocks.tsx';
import { HomeHead } from '../../ui/home-head.tsx';
import { LoadMore, restOf } from '../../ui/load-more.tsx';
import { Table } from '../../ui/table.tsx';
import { type Action, inWords, optionsWithin } from '../access/actions.ts';
import { seeText } from '../access/grants-view.tsx';
import { text } from '../strings.ts';
import { givenRoles, type Role } from './role-fields.ts';

const words = text.roles;

/** The roles that members of teams can have. */
export function RolesPage() {
  const view = useView(RolesQuery, {});
  const pages = usePages();
  const viewer = view.data?.viewer;
  const roles = viewer?.enterprise.roles;
  const mayWrite = Boolean(viewer?.isAdministrator && !viewer.accessToken?.isReadOnly);
  const more = roles && restOf(roles, (after) => pages.load(RolesQuery, { after }));
  return (
    <>
      <HomeHead tab="roles" actions={mayWrite && <ActionBar items={[newItem]} />} />
      <ViewState view={view} />
      {roles && (
        <Section title={words.ofEnterprise} count={roles.totalCount}>
          <ActionTable
            label={words.label}
            columns={words.columns}
            empty={words.empty}
            rows={roles.nodes}
            cells={(role) => ({ name: role.name, may: <RoleText role={role} /> })}
            itemsOf={mayWrite && ((role) => [editItem(role), deleteItem(role)])}
          />
          {more && <LoadMore {...more} />}
        </Section>
      )}
      <Section title={words.predefined}>
        <Table
          label={words.predefined}
          columns={words.columns}
          empty=""
          rows={givenRoles(true)}
          keyOf={(role) => role}
          classes={{ may: 'soft' }}
          cells={(role) => ({ name: words.names[role], may: words.about[role] })}
        />
      </Section>
    </>
  );
}

const capital = (words: string) => words.slice(0, 1).toUpperCase() + words.slice(1);

function RoleText({ role }: { role: Role }) {
  const lines = inWords(role.actions, words.everything);
  return (
    <>
      {capital(seeText(role.actions))}
      {lines.length > 0 && text.grants.andMay}
      <ul className="grants">
        {lines.map(([title, verbs]) => (
          <li key={title}>
            {title}: {verbs}
          </li>
        ))}
      </ul>
    </>
  );
}

/** A role without boxes only sees. */
const formOf = (role?: Role) => ({
  first: ['name', 'actions'] as const,
  labels: words.fields,
  hints: { actions: words.hint },
  fields: {
    name: { required: true },
    actions: {
      kind: 'choices' as const,
      options: optionsWithin('team'),
      value: (role?.actions ?? []).map((value) => ({ value })),
    },
  },
  current: role,
  also: ({ actions }: Values) => ({
    actions: [...new Set<Action>(['READ', ...(chosenOf(actions) as Action[])])],
  }),
});

const newItem = itemOf('new-role', {
  ...wordsOf(words, 'new'),
  submit: words.create,
  mutation: 'createRole',
  form: formOf(),
  target: {},
});

const editItem = (role: Role) =>
  itemOf(`edit ${role.id}`, {
    ...wordsOf(words, 'edit', role.name),
    submit: words.save,
    mutation: 'updateRole',
    form: formOf(role),
    target: { role: { id: role.id }, expectedRevision: role.revision },
  });

const deleteItem = ({ id, name, revision }: Role) =>
  itemOf(`delete ${id}`, {
    ...wordsOf(words, 'delete', name),
    mutation: 'deleteRole',
    target: { role: { id }, expectedRevision: revision },
  });
