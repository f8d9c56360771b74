import '../../styles/people.css';
import { ActionBar } from '../../act/action-bar.tsx';
import { itemOf } from '../../act/items.tsx';
import { wordsOf } from '../../act/words.ts';
import { usePages, useView } from '../../api/view.ts';
import { RolesQuery } from '../../documents/people.ts';
import { chosenOf, type Field, type Values } from '../../form/values.ts';
import { Section, Table, ViewState } from '../../ui/blocks.tsx';
import { HomeHead } from '../../ui/home-head.tsx';
import { LoadMore, restOf } from '../../ui/load-more.tsx';
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
          <Table label={words.label} columns={Object.values(words.columns)} empty={words.empty}>
            {roles.nodes.map((role) => (
              <tr key={role.id}>
                <td>{role.name}</td>
                <td>
                  <RoleText role={role} />
                </td>
                <td className="row-actions">
                  {mayWrite && <ActionBar isSmall items={[editItem(role), deleteItem(role)]} />}
                </td>
              </tr>
            ))}
          </Table>
          {more && <LoadMore {...more} />}
        </Section>
      )}
      <Section title={words.predefined}>
        <Table label={words.predefined} columns={[words.columns.name, words.columns.may]} empty="">
          {givenRoles(true).map((role) => (
            <tr key={role}>
              <td>{words.names[role]}</td>
              <td className="soft">{words.about[role]}</td>
            </tr>
          ))}
        </Table>
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

const fieldsOf = (role?: Role): Field[] => [
  { name: 'name', label: words.fields.name, value: role?.name ?? '', required: true },
  {
    name: 'actions',
    label: words.fields.actions,
    hint: words.hint,
    kind: 'choices',
    options: optionsWithin('team'),
    value: (role?.actions ?? []).map((value) => ({ value })),
  },
];

/** A role without boxes only sees. */
const inputOf = (values: Values) => ({
  name: String(values.name).trim(),
  actions: [...new Set<Action>(['READ', ...(chosenOf(values.actions) as Action[])])],
});

const newItem = itemOf('new-role', {
    ...wordsOf(words, 'new'),
    submit: words.create,
    mutation: 'createRole',
    fields: () => fieldsOf(),
    input: inputOf,
  });

const editItem = (role: Role) =>
  itemOf(`edit ${role.id}`, {
      ...wordsOf(words, 'edit', role.name),
      submit: words.save,
      mutation: 'updateRole',
      fields: () => fieldsOf(role),
      input: (values) => ({ role: { id: role.id }, expectedRevision: role.revision, ...inputOf(values) }),
    });

const deleteItem = ({ id, name, revision }: Role) =>
  itemOf(`delete ${id}`, {
    ...wordsOf(words, 'delete', name),
    mutation: 'deleteRole',
    target: { role: { id }, expectedRevision: revision },
  });
