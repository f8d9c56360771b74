import { useQuery } from 'urql';
import { useLocation } from 'wouter';
import { ActionBar, type Item } from '../../act/action-bar.tsx';
import { itemOf, present } from '../../act/items.tsx';
import { DeleteTeam, TeamActionsQuery, UpdateTeam } from '../../documents/start.ts';
import { text as texts } from './strings.ts';

const text = texts.team;

/** The button says what is edited, the one in the dialog what is done. */
const withLabel = (label: string, item: Item): Item => ({ ...item, label });

/** The actions of a team as a whole that the caller may take. */
export function TeamActions({ name }: { name: string }) {
  const [{ data }] = useQuery({ query: TeamActionsQuery, variables: { by: { name } } });
  const [, navigate] = useLocation();
  const team = data?.team;
  if (!team) return null;
  const input = { team: { teamId: team.uid }, expectedRevision: team.revision };
  const items = present(
    team.mayUpdate &&
      withLabel(
        text.edit,
        itemOf('edit team', {
          label: text.save,
          title: text.editTitle(team.alias),
          intro: text.editIntro,
          document: UpdateTeam,
          form: {
            first: ['alias'],
            labels: { alias: text.name },
            hints: {},
            fields: { alias: { required: true } },
            current: team,
          },
          target: input,
        }),
      ),
    team.mayDelete &&
      itemOf('delete team', {
        label: text.delete,
        title: text.deleteTitle(team.alias),
        intro: text.deleteIntro,
        isDestructive: true,
        document: DeleteTeam,
        plan: 'step',
        input: () => input,
        done: () => navigate('/'),
      }),
  );
  return <ActionBar items={items} shown={0} />;
}
