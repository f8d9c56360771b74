import { useQuery } from 'urql';
import { dialogOf } from '../act/dialog.tsx';
import { type DialogProps, MessageDialog } from '../act/dialog-frame.tsx';
import { NewApplicationQuery } from '../documents/create.ts';
import { Loading, Notice } from '../ui/blocks.tsx';
import { text } from './strings.ts';

const { labels } = text;

/** A new application of a team, in one of its regions. */
export function NewApplicationDialog({
  team,
  draft,
  close,
}: DialogProps<{ team: { id: string; alias: string } }>) {
  const [{ data }] = useQuery({ query: NewApplicationQuery, variables: { by: { id: team.id } } });
  const regions = data?.team?.regions.nodes;
  const title = text.newApplicationTitle(team.alias);
  if (!regions?.length) {
    return (
      <MessageDialog title={title} close={close}>
        {regions ? <Notice tone="warn">{text.noRegions}</Notice> : <Loading rows={3} />}
      </MessageDialog>
    );
  }
  return dialogOf(close, {
    draft,
    label: text.create,
    title,
    intro: text.newApplicationIntro,
    mutation: 'createApplication',
    form: {
      first: ['name', 'region', 'note'],
      more: ['rest'],
      labels,
      fields: {
        region: {
          ref: 'name',
          kind: 'select',
          required: true,
          value: regions[0]!.name,
          options: regions.map(({ name, alias }) => ({ value: name, text: alias })),
        },
        note: { kind: 'area', hint: undefined },
        isDefault: { hint: undefined },
      },
    },
    target: { team: { id: team.id } },
    leadsTo: (payload) => `/applications/${(payload as { application: { uid: number } }).application.uid}`,
  });
}
