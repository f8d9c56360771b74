import '../../styles/people.css';
import { useQuery } from 'urql';
import { ActionBar } from '../../act/action-bar.tsx';
import { itemOf, present } from '../../act/items.tsx';
import type { FragmentOf } from '../../api/graphql.ts';
import { usePages, useView } from '../../api/view.ts';
import { type UserParts, UserQuery } from '../../documents/people.ts';
import { UserAccessQuery } from '../../documents/tokens.ts';
import { strings } from '../../strings.ts';
import { Fields, Loading, Missing, PageHead, PartialError, Section } from '../../ui/blocks.tsx';
import { useCrumbs } from '../../ui/crumbs.ts';
import { Tag } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { SessionTable } from '../sessions/session-table.tsx';
import { text } from '../strings.ts';
import { newTokenItem } from '../tokens/token-item.tsx';
import { TokenTable } from '../tokens/token-table.tsx';

const words = text.users;

type User = FragmentOf<typeof UserParts>;

/** A user, for administrators. */
export function UserPage({ uid }: { uid: number }) {
  const { data, error, isLoading, retry } = useView(UserQuery, { by: { userId: uid } });
  const user = data?.user;
  const name = user ? user.nickName || user.email : String(uid);
  useCrumbs({ text: strings.home.tabs.users, href: '/users' }, { text: name, href: `/users/${uid}` });
  if (isLoading) return <Loading />;
  if (!user) return <Missing error={error} retry={retry} />;
  const { isAdministrator, accessToken } = data.viewer;
  const isSelf = data.viewer.user?.id === user.id;
  const mayWrite = isAdministrator && !accessToken?.isReadOnly;
  return (
    <>
      <PageHead
        title={name}
        status={!user.isActive && <Tag tone="warn">{words.inactive}</Tag>}
        actions={mayWrite && <ActionBar items={present(editItem(user), activeItem(user))} />}
      />
      {isAdministrator && <PartialError error={error} />}
      <About user={user} />
      {(isAdministrator || isSelf) && (
        <Access user={user} mayWrite={mayWrite} current={accessToken?.id} name={name} />
      )}
    </>
  );
}

function About({ user }: { user: User }) {
  const { email, phone, isAdministrator, createdAt, origin, clientIp } = user;
  return (
    <Fields
      items={[
        [words.fields.email, email],
        [words.fields.phone, phone || null],
        [words.columns.role, isAdministrator ? text.account.administrator : text.account.member],
        [words.columns.created, <Time key="created" at={createdAt} />],
        [words.origin, origin === null ? words.createdHere : (words.origins[origin] ?? origin)],
        [words.address, clientIp || null],
      ]}
    />
  );
}

/** With what a user gets in. */
function Access({ user, name, mayWrite, current }: AccessProps) {
  const by = { userId: user.uid };
  const [{ data, error }] = useQuery({ query: UserAccessQuery, variables: { by } });
  const pages = usePages();
  const details = data?.user;
  const owner = { kind: 'user' as const, uid: user.uid, name };
  return (
    <>
      <PartialError error={error} />
      <Section
        title={text.tokens.title}
        actions={mayWrite && <ActionBar items={[newTokenItem('new-token', owner)]} />}
      >
        {details?.accessTokens ? (
          <TokenTable
            label={text.tokens.label}
            tokens={details.accessTokens}
            unlimited={text.grants.unlimited.user(name)}
            current={current}
            mayRevoke={mayWrite}
            loadMore={(tokensAfter) => pages.load(UserAccessQuery, { by, tokensAfter })}
          />
        ) : (
          !error && <Loading rows={2} />
        )}
      </Section>
      {details?.sessions && (
        <Section title={text.sessions.title}>
          <SessionTable
            sessions={details.sessions}
            current={undefined}
            empty={text.sessions.empty}
            mayEnd={mayWrite}
            loadMore={(sessionsAfter) => pages.load(UserAccessQuery, { by, sessionsAfter })}
          />
        </Section>
      )}
    </>
  );
}
interface AccessProps {
  user: User;
  name: string;
  mayWrite: boolean;
  current: string | undefined;
}

const nameOf = ({ nickName, email }: User) => nickName || email;

const editItem = (user: User) =>
  itemOf('edit-user', {
    label: words.edit,
    submit: words.save,
    title: words.editTitle(nameOf(user)),
    mutation: 'updateUser',
    intro: text.account.editIntro,
    // Unchanged fields need fewer rights.
    form: {
      first: ['nickName', 'phone', 'isAdministrator'],
      labels: words.fields,
      hints: words.hints,
      fields: { nickName: { required: true }, phone: { isNullable: true } },
      current: user,
    },
    target: { user: { userId: user.uid }, expectedRevision: user.revision },
  });

const activeItem = (user: User) =>
  itemOf('active', {
    label: user.isActive ? words.deactivate : words.reactivate,
    title: (user.isActive ? words.deactivateTitle : words.reactivateTitle)(nameOf(user)),
    intro: user.isActive ? words.deactivateIntro : words.reactivateIntro,
    isDestructive: user.isActive,
    mutation: 'updateUser',
    target: { user: { userId: user.uid }, isActive: !user.isActive, expectedRevision: user.revision },
  });
