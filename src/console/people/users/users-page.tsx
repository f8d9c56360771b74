import { Link } from 'wouter';
import { ActionBar } from '../../act/action-bar.tsx';
import { itemOf } from '../../act/items.tsx';
import { wordsOf } from '../../act/words.ts';
import { usePages, useView } from '../../api/view.ts';
import { UsersQuery } from '../../documents/people.ts';
import { BlankCard } from '../../ui/blocks.tsx';
import { HomeHead } from '../../ui/home-head.tsx';
import { HomeList, useSearch } from '../../ui/home-list.tsx';
import { restOf } from '../../ui/load-more.tsx';
import { Tag } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { text } from '../strings.ts';

const words = text.users;

/** The users of the enterprise, for its administrators. */
export function UsersPage() {
  const search = useSearch(words.find);
  const view = useView(UsersQuery, search.variables);
  const pages = usePages();
  const viewer = view.data?.viewer;
  if (viewer && !viewer.isAdministrator) {
    return (
      <>
        <HomeHead tab="users" />
        <BlankCard title={words.onlyTitle} text={words.only} />
      </>
    );
  }
  const users = viewer?.enterprise.users;
  const mayCreate = viewer?.isAdministrator && !viewer.accessToken?.isReadOnly;
  const more = users && restOf(users, (after) => pages.load(UsersQuery, { ...search.variables, after }));
  return (
    <HomeList
      tab="users"
      actions={mayCreate && <ActionBar items={[newItem]} />}
      search={search}
      view={view}
      more={more}
    >
      {users && (
        <Table
          label={words.label}
          columns={words.columns}
          empty={words.empty}
          rows={users.nodes}
          classes={{ email: 'soft break', role: 'soft', created: 'soft' }}
          cells={(user) => ({
            name: (
              <Link className="row-link" href={`/users/${user.uid}`}>
                {user.nickName || user.email}
              </Link>
            ),
            email: user.email,
            role: user.isAdministrator ? text.account.administrator : text.account.member,
            status: user.isActive ? (
              <span className="soft">{words.active}</span>
            ) : (
              <Tag tone="warn">{words.inactive}</Tag>
            ),
            created: <Time at={user.createdAt} />,
          })}
        />
      )}
    </HomeList>
  );
}

const newItem = itemOf('new-user', {
  ...wordsOf(words, 'new'),
  submit: words.create,
  mutation: 'createUser',
  form: {
    first: ['email', 'nickName', 'phone', 'isAdministrator'],
    labels: words.fields,
    hints: words.hints,
  },
  target: {},
});
