import { useQuery } from 'urql';
import { ActionBar } from '../act/action-bar.tsx';
import { itemOf } from '../act/items.tsx';
import { Listing } from '../act/listing.tsx';
import { wordsOf } from '../act/words.ts';
import type { ResultOf } from '../api/graphql.ts';
import { useView } from '../api/view.ts';
import { RegistriesQuery } from '../documents/registries.ts';
import { ViewerQuery } from '../documents/viewer.ts';
import { TeamFrame } from '../ui/team-head.tsx';
import { Time } from '../ui/time.tsx';
import { text } from './strings.ts';

const { labels, hints } = text;

type Team = NonNullable<ResultOf<typeof RegistriesQuery>['team']>;
type Credential = Team['registryCredentials']['nodes'][number];

/** The credentials with which images are pulled: those of a team and, for administrators, those of all teams. */
export function TeamRegistriesPage({ name }: { name: string }) {
  const [{ data: viewer }] = useQuery({ query: ViewerQuery });
  const isAdministrator = viewer?.viewer.isAdministrator ?? false;
  const view = useView(RegistriesQuery, { team: { name }, isAdministrator });
  return (
    <TeamFrame
      name={name}
      tab="registries"
      view={{ ...view, isLoading: view.isLoading || !viewer }}
      actions={(team) => team.mayChange && <ActionBar items={[addItem(team)]} />}
    >
      {({ registryCredentials, mayChange }, { viewer: { enterprise } }) => (
        <>
          <p className="soft">{text.intro}</p>
          <Credentials title={text.title} list={registryCredentials} mayChange={mayChange} />
          {enterprise.registryCredentials && (
            <Credentials
              title={text.everywhere}
              intro={text.everywhereIntro}
              list={enterprise.registryCredentials}
              mayChange
              isEverywhere
            />
          )}
        </>
      )}
    </TeamFrame>
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
  return (
    <Listing
      texts={{ title: title, columns: text.columns, none: text.none }}
      list={list}
      add={isEverywhere && [addItem(undefined)]}
      intro={intro && <p className="soft small section-note">{intro}</p>}
      classes={{ host: 'mono', created: 'soft' }}
      cells={(credential) => ({
        host: credential.host,
        username: credential.username,
        created: <Time at={credential.createdAt} />,
      })}
      itemsOf={mayChange && itemsOf}
    />
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
