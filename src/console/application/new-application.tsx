import { useQuery } from 'urql';
import { useLocation } from 'wouter';
import { ActionDialog } from '../act/dialog.tsx';
import { Dialog } from '../act/dialog-frame.tsx';
import { CreateApplication, NewApplicationQuery } from '../documents/create.ts';
import { inputForm } from '../form/input-form.ts';
import { strings } from '../strings.ts';
import { Loading, Notice } from '../ui/blocks.tsx';
import { text } from './strings.ts';

const { labels } = text;

interface Props {
  team: { id: string; alias: string };
  draft: string;
  close(): void;
}

/** A new application of a team, in one of its regions. */
export function NewApplicationDialog({ team, draft, close }: Props) {
  const [, navigate] = useLocation();
  const [{ data }] = useQuery({ query: NewApplicationQuery, variables: { team: { id: team.id } } });
  const regions = data?.team?.regions.nodes;
  const title = text.newApplicationTitle(team.alias);
  if (!regions?.length) {
    return (
      <Dialog title={title} close={close}>
        {regions ? <Notice tone="warn">{text.noRegions}</Notice> : <Loading rows={3} />}
        <footer>
          <button type="button" className="button" onClick={close}>
            {strings.common.close}
          </button>
        </footer>
      </Dialog>
    );
  }
  const form = inputForm('CreateApplicationInput', {
    first: ['name', 'region', 'note'],
    more: 'rest',
    fields: {
      name: { label: labels.name },
      region: {
        label: text.region,
        kind: 'select',
        required: true,
        value: regions[0]!.name,
        options: regions.map(({ name, alias }) => ({ value: name, text: alias })),
      },
      note: { kind: 'area', hint: undefined },
      principal: { label: labels.principal },
      isDefault: { label: labels.isDefault, hint: undefined },
      orderIndex: { label: labels.orderIndex },
    },
  });
  return (
    <ActionDialog
      draft={draft}
      close={close}
      action={{
        label: text.create,
        title,
        intro: text.newApplicationIntro,
        document: CreateApplication,
        fields: () => form.fields,
        input: (values) => {
          const { region, name, ...input } = form.input(values);
          return { ...input, name: String(name), team: { id: team.id }, region: { name: String(region) } };
        },
        done: (payload) => {
          close();
          navigate(`/applications/${(payload as { application: { uid: number } }).application.uid}`);
        },
      }}
    />
  );
}
