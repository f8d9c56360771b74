import { dialogOf } from '../act/dialog.tsx';
import type { DialogProps } from '../act/dialog-frame.tsx';
import { MadeApplication, Omitted } from '../act/made-application.tsx';
import { Plan } from '../act/plan.tsx';
import type { FragmentOf } from '../api/graphql.ts';
import type { ImportParts } from '../documents/regions.ts';
import { isOpenIn, teamField, useTeams, Waiting } from './open-dialog.tsx';
import { text } from './strings.ts';

const { fields: labels, hints } = text;

type Imported = FragmentOf<typeof ImportParts>;
/** Makes an application of what runs in a namespace without Trellis. */
export function ImportDialog({
  region,
  draft,
  close,
}: DialogProps<{ region: { uid: string; alias: string } }>) {
  const answer = useTeams();
  const title = text.importTitle(region.alias);
  if (!answer) return <Waiting title={title} close={close} />;
  const teams = answer.teams.filter((team) => team.mayImport && isOpenIn(team, region.uid));
  if (teams.length === 0 && !answer.hasMore)
    return <Waiting title={title} text={text.importNoTeams} close={close} />;
  return dialogOf(close, {
    draft,
    label: text.import,
    title,
    intro: text.importIntro,
    mutation: 'importNamespace',
    plan: 'step',
    form: {
      first: ['namespace', 'team', 'name'],
      labels: { namespace: labels.namespace, name: labels.application },
      hints: { namespace: hints.namespace, name: hints.application },
      fields: { team: teamField(teams, answer.hasMore), name: { placeholder: undefined } },
    },
    target: { region: { regionId: region.uid } },
    planned: ({ plan, payload }) => (
      <>
        <Plan items={plan} />
        {omittedOf(payload)}
      </>
    ),
    result: (payload) => (
      <MadeApplication
        made={text.imported}
        application={(payload as Imported).application}
        open={text.openApplication}
      >
        {omittedOf(payload)}
      </MadeApplication>
    ),
  });
}

const omittedOf = (payload: unknown) => (
  <Omitted
    texts={text}
    parts={(payload as Imported).omitted.map((each) => ({
      object: `${each.kind} ${each.name}`,
      why: each.what,
    }))}
  />
);
