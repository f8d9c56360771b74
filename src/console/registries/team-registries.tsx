import { useQuery } from 'urql';
import { ActionBar, ActionCell } from '../act/action-bar.tsx';
import { itemOf } from '../act/items.tsx';
import { wordsOf } from '../act/words.ts';
import type { ResultOf } from '../api/graphql.ts';
import { useView } from '../api/view.ts';
import { RegistriesQuery } from '../documents/registries.ts';
import { ViewerQuery } from '../documents/viewer.ts';
import { Loading, Missing, PartialError, Section, Table } from '../ui/blocks.tsx';
import { TeamHead } from '../ui/team-head.tsx';
import { Time } from '../ui/time.tsx';
import { text } from './strings.ts';

const { labels, hints } = text;

type Team = NonNullable<ResultOf<typeof RegistriesQuery>['team']>;
type Credential = Team['registryCredentials']['nodes'][number];

/** The credentials with which images are pulled: those of a team and, for administrators, those of all teams. */
export function TeamRegistriesPage({ name }: { name: string }) {
  const [{ data: viewer }] = useQuery({ query: ViewerQuery });
  const isAdministrator = viewer?.viewer.isAdministrator ?? false;
  const { data, error, isLoading, retry } = useView(RegistriesQuery, { team: { name }, isAdministrator });
  const team = data?.team;
  if (isLoading || !viewer) return <Loading />;
  if (!team) return <Missing error={error} retry={retry} />;
  const everywhere = data.viewer.enterprise.registryCredentials;
  return (
    <>
      <TeamHead
        name={name}
        alias={team.alias}
        tab="registries"
        actions={team.mayChange && <ActionBar items={[addItem(team)]} />}
      />
      <PartialError error={error} />
      <p className="soft">{text.intro}</p>
      <Credentials title={text.title} list={team.registryCredentials} mayChange={team.mayChange} />
      {everywhere && (
        <Credentials
          title={text.everywhere}
          intro={text.everywhereIntro}
          list={everywhere}
          mayChange
          isEverywhere
        />
      )}
    </>
  );
}

interface CredentialsProps {
  title: string;
  intro?: string;
  list: { totalCount: number; nodes: readonly Credential[] };
  mayChange: boolean;
  isEverywhere?: boolean;
}

function Credentials({ title, intro, list, mayChange, isEverywhere }: CredentialsProps) {
  const { actions, ...columns } = text.columns;
  return (
    <Section
      title={title}
      count={list.totalCount}
      actions={isEverywhere && <ActionBar isSmall items={[addItem(undefined)]} />}
    >
      {intro && <p className="soft small section-note">{intro}</p>}
      <Table
        label={title}
        columns={[...Object.values(columns), ...(mayChange ? [actions] : [])]}
        empty={text.none}
      >
        {list.nodes.map((credential) => (
          <tr key={credential.id}>
            <td className="mono">{credential.host}</td>
            <td>{credential.username}</td>
            <td className="soft">
              <Time at={credential.createdAt} />
            </td>
            {mayChange && <ActionCell items={itemsOf(credential)} />}
          </tr>
        ))}
      </Table>
    </Section>
  );
}

/** Adds a credential to a team, or for all teams. */
const addItem = (team: Team | undefined) =>
  itemOf(team ? 'add-credential' : 'add-credential-everywhere', {
    label: text.add,
    title: team ? text.addTitle(team.alias) : text.addEverywhereTitle,
    intro: text.addIntro,
    mutation: 'createRegistryCredential',
    form: {
      first: ['host', 'username', 'password'],
      labels,
      hints,
      fields: { host: { placeholder: 'registry.example.com' }, password: { kind: 'password' } },
    },
    target: team ? { team: { id: team.id } } : {},
  });

function itemsOf({ id, host, username, revision }: Credential) {
  const target = { credential: { id }, expectedRevision: revision };
  return [
    itemOf(`edit ${id}`, {
      ...wordsOf(text, 'edit', host),
      submit: text.save,
      mutation: 'updateRegistryCredential',
      form: {
        first: ['username', 'password'],
        labels,
        hints: {},
        fields: {
          username: { required: true },
          password: { kind: 'password', label: labels.newPassword, hint: hints.newPassword },
        },
        current: { username },
      },
      target,
    }),
    itemOf(`delete ${id}`, {
      ...wordsOf(text, 'delete', host),
      mutation: 'deleteRegistryCredential',
      form: { first: ['force'], labels, hints: {} },
      target,
    }),
  ];
}
