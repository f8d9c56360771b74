import '../../styles/people.css';
import { ActionBar } from '../../act/action-bar.tsx';
import { itemOf } from '../../act/items.tsx';
import type { ResultOf } from '../../api/graphql.ts';
import { usePages, useView } from '../../api/view.ts';
import { AccountQuery } from '../../documents/tokens.ts';
import { Fields, Loading, Missing, Notice, PageHead, PartialError, Section } from '../../ui/blocks.tsx';
import { useCrumbs } from '../../ui/crumbs.ts';
import { Time } from '../../ui/time.tsx';
import { SessionTable } from '../sessions/session-table.tsx';
import { text } from '../strings.ts';
import { newTokenItem } from '../tokens/token-item.tsx';
import { TokenTable } from '../tokens/token-table.tsx';

const words = text.account;

type Viewer = ResultOf<typeof AccountQuery>['viewer'];

/** Who the caller is, and with what they sign in. */
export function AccountPage() {
  const { data, error, isLoading, retry } = useView(AccountQuery, {});
  const pages = usePages();
  useCrumbs({ text: words.title, href: '/account' });
  if (isLoading) return <Loading />;
  const viewer = data?.viewer;
  if (!viewer) return <Missing error={error} retry={retry} />;
  const { user, accessToken, session, accessTokens, sessions } = viewer;
  const mayWrite = !accessToken?.isReadOnly;
  return (
    <>
      <PageHead title={words.title} actions={mayWrite && user && <ActionBar items={[editItem(user)]} />} />
      <PartialError error={error} />
      <Profile viewer={viewer} />
      <Section
        title={text.tokens.title}
        actions={mayWrite && user && <ActionBar items={[newTokenItem('new-token', { kind: 'me' })]} />}
      >
        <TokenTable
          label={text.tokens.label}
          tokens={accessTokens}
          unlimited={user ? text.grants.unlimited.own : text.grants.unlimited.any}
          current={accessToken?.id}
          mayRevoke={mayWrite && user !== null}
          loadMore={(tokensAfter) => pages.load(AccountQuery, { tokensAfter })}
        />
      </Section>
      {user && (
        <Section title={text.sessions.title}>
          <SessionTable
            sessions={sessions}
            current={session?.id}
            empty={session ? text.sessions.empty : text.sessions.emptyOwn}
            mayEnd={mayWrite}
            loadMore={(sessionsAfter) => pages.load(AccountQuery, { sessionsAfter })}
          />
        </Section>
      )}
    </>
  );
}

function Profile({ viewer: { user, serviceAccount, isAdministrator } }: { viewer: Viewer }) {
  if (serviceAccount) {
    const { name, team, role } = serviceAccount;
    return (
      <>
        <Notice tone="idle">{words.serviceAccountText}</Notice>
        <Fields
          items={[
            [words.name, name],
            [text.tokens.fields.owner, team.alias],
            [words.role, text.automation.roles[role]],
          ]}
        />
      </>
    );
  }
  if (!user) return null;
  return (
    <Fields
      items={[
        [words.name, user.nickName],
        [words.email, user.email],
        [words.phone, user.phone || null],
        [words.role, isAdministrator ? words.administrator : words.member],
        [words.since, <Time key="since" at={user.createdAt} />],
      ]}
    />
  );
}

type User = NonNullable<Viewer['user']>;

const editItem = (user: User) =>
  itemOf('profile', {
    label: words.edit,
    submit: words.save,
    title: words.edit,
    intro: words.editIntro,
    mutation: 'updateUser',
    form: {
      first: ['nickName', 'phone'],
      labels: text.users.fields,
      hints: {},
      fields: { nickName: { required: true }, phone: { isNullable: true } },
      current: user,
    },
    target: { expectedRevision: user.revision },
  });
