import { dialogOf } from '../act/dialog.tsx';
import { type DialogProps, MessageDialog } from '../act/dialog-frame.tsx';
import type { ResultOf } from '../api/graphql.ts';
import { useFresh } from '../api/use-fresh.ts';
import { RegionTeamsQuery } from '../documents/regions.ts';
import type { Field } from '../form/values.ts';
import { strings } from '../strings.ts';
import { text } from './strings.ts';

const { fields: labels, hints } = text;
const noQuota = { min: 0, value: '0' };

export type Team = ResultOf<typeof RegionTeamsQuery>['viewer']['enterprise']['teams']['nodes'][number];
export function OpenRegionDialog({
  region,
  draft,
  close,
}: DialogProps<{ region: { uid: string; alias: string } }>) {
  const answer = useTeams();
  const title = text.openTitle(region.alias);
  if (!answer) return <Waiting title={title} close={close} />;
  const teams = answer.teams.filter((team) => team.mayOpen && !isOpenIn(team, region.uid));
  if (teams.length === 0 && !answer.hasMore)
    return <Waiting title={title} text={text.noTeams} close={close} />;
  const hasQuota = teams.some(({ maySetQuota }) => maySetQuota);
  return dialogOf(close, {
    draft,
    label: text.openAction,
    title,
    intro: text.openIntro,
    mutation: 'openTeamRegion',
    form: {
      first: ['team', ...(hasQuota ? (['cpuQuotaMillicores', 'memoryQuotaMiB'] as const) : [])],
      labels: { cpuQuotaMillicores: labels.cpuQuota, memoryQuotaMiB: labels.memoryQuota },
      hints: { memoryQuotaMiB: hints.quota },
      fields: {
        team: teamField(teams, answer.hasMore),
        cpuQuotaMillicores: noQuota,
        memoryQuotaMiB: noQuota,
      },
    },
    target: { region: { regionId: region.uid } },
  });
}

/** The teams that the caller sees. Of many, only the first ones are listed. */
export function useTeams() {
  const { data } = useFresh(RegionTeamsQuery, {});
  const teams = data?.viewer.enterprise.teams;
  return teams && { teams: teams.nodes, hasMore: teams.totalCount > teams.nodes.length };
}

export const isOpenIn = ({ regions }: Team, uid: string) => regions.nodes.some((each) => each.uid === uid);

/** Teams are chosen from a list, and named where there are too many for one. */
export const teamField = (teams: readonly Team[], hasMore: boolean): Field => ({
  name: 'team',
  label: labels.team,
  ref: 'name',
  required: true,
  ...(hasMore
    ? { hint: text.teamByName }
    : {
        kind: 'select',
        value: teams[0]?.name ?? '',
        options: teams.map(({ name, alias }) => ({ value: name, text: alias })),
      }),
});

/** The dialog until its lists are read, or if nothing can be done in it. */
export const Waiting = (props: { title: string; text?: string; close(): void }) => (
  <MessageDialog title={props.title} close={props.close}>
    <p role="status">{props.text ?? strings.common.loading}</p>
  </MessageDialog>
);
