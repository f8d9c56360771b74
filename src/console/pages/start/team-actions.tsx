import { useQuery } from 'urql';
import { ActionBar } from '../../act/action-bar.tsx';
import { itemOf, present } from '../../act/items.tsx';
import { wordsOf } from '../../act/words.ts';
import { TeamActionsQuery } from '../../documents/start.ts';
import { text as texts } from './strings.ts';

const text = texts.team;

/** The actions of a team as a whole that the caller may take. */
export function TeamActions({ name }: { name: string }) {
  const [{ data }] = useQuery({ query: TeamActionsQuery, variables: { by: { name } } });
  const team = data?.team;
  if (!team) return null;
  const input = { team: { teamId: team.uid }, expectedRevision: team.revision };
  const items = present(
    team.mayUpdate &&
      itemOf('edit team', {
        ...wordsOf(text, 'edit', team.alias),
        submit: text.save,
        mutation: 'updateTeam',
        form: {
          first: ['alias'],
          labels: { alias: text.name },
          hints: {},
          fields: { alias: { required: true } },
          current: team,
        },
        target: input,
      }),
    team.mayDelete &&
      itemOf('delete team', {
        ...wordsOf(text, 'delete', team.alias),
        mutation: 'deleteTeam',
        target: input,
        leadsTo: () => '/',
      }),
  );
  return <ActionBar items={items} shown={0} />;
}
