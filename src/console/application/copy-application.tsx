import { useQuery } from 'urql';
import { leftStoppedIn } from '../act/act.ts';
import { dialogOf } from '../act/dialog.tsx';
import type { DialogProps } from '../act/dialog-frame.tsx';
import { MadeApplication, Omitted } from '../act/made-application.tsx';
import { LeftStopped, Plan } from '../act/plan.tsx';
import { wordsOf } from '../act/words.ts';
import { NewApplicationQuery } from '../documents/create.ts';
import { optionsOf } from '../ui/controls.tsx';
import { text } from './strings.ts';

const { labels } = text;

interface Copied {
  application: { uid: number; name: string } | null;
  omitted: readonly { component: string | null; name: string; reason: string }[];
}

interface Props {
  application: { uid: number; name: string; team: { id: string }; region: { name: string } };
}

/** Copies an application within its team. */
export function CopyApplicationDialog({ application, draft, close }: DialogProps<Props>) {
  const [{ data }] = useQuery({ query: NewApplicationQuery, variables: { by: { id: application.team.id } } });
  if (!data) return null;
  const regions = data.team?.regions.nodes ?? [];
  return dialogOf(close, {
    draft,
    ...wordsOf(text, 'copy', application.name),
    mutation: 'copyApplication',
    plan: 'step',
    form: {
      first: ['name', 'region', 'secrets', 'volumes', 'deploy'],
      labels: { ...labels, volumes: labels.volumeData },
      fields: {
        name: { required: true, hint: undefined },
        region: {
          ref: 'name',
          kind: 'select',
          value: application.region.name,
          hint: undefined,
          options: regions.map(({ name, alias }) => ({ value: name, text: alias })),
        },
        secrets: { kind: 'select', value: 'COPY', options: optionsOf(text.secretModes), hint: undefined },
        volumes: { kind: 'select', value: 'EMPTY', options: optionsOf(text.volumeModes), hint: undefined },
        deploy: { hint: undefined },
      },
    },
    target: { application: { appId: application.uid } },
    planned: ({ plan, payload }) => (
      <>
        <Plan items={plan} />
        <LeftStopped names={leftStoppedIn(payload)} />
        {omittedOf(payload)}
      </>
    ),
    result: (payload) => (
      <MadeApplication made={text.copied} application={(payload as Copied).application} open={text.openCopy}>
        {omittedOf(payload)}
      </MadeApplication>
    ),
  });
}

const omittedOf = (payload: unknown) => (
  <Omitted
    texts={text}
    parts={(payload as Copied).omitted.map(({ component, name, reason }) => ({
      object: [component, name].filter(Boolean).join(' '),
      why: reason,
    }))}
  />
);
