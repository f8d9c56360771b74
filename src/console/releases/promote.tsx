import { useQuery } from 'urql';
import { dialogOf } from '../act/dialog.tsx';
import { type DialogProps, MessageDialog } from '../act/dialog-frame.tsx';
import { PromotionTargetsQuery } from '../documents/releases.ts';
import { strings } from '../strings.ts';
import { Notice } from '../ui/blocks.tsx';
import { type Component, planned, type Release } from './planned.tsx';
import { text } from './strings.ts';

/** Deploys a release to the component of the same name in another application. */
export function PromoteDialog({
  component,
  release,
  close,
}: DialogProps<{ component: Component; release: Release }>) {
  const { name, application } = component;
  const [{ data, error }] = useQuery({ query: PromotionTargetsQuery, variables: { name } });
  const targets = (data?.components.nodes ?? [])
    .filter((each) => each.mayDeploy && each.name === name && each.application.id !== application.id)
    .map((each) => each.application);
  const title = text.promoteTitle(name, release.number);
  if (targets.length === 0) {
    return (
      <MessageDialog title={title} close={close}>
        {data || error ? (
          <Notice tone={error ? 'bad' : 'idle'}>{error?.message ?? text.noTarget}</Notice>
        ) : (
          <p role="status">{strings.common.loading}</p>
        )}
      </MessageDialog>
    );
  }
  return dialogOf(close, {
    label: text.promote,
    title,
    intro: text.promoteIntro,
    mutation: 'promoteRelease',
    plan: 'step',
    form: {
      first: ['to', 'includesResources', 'startStopped'],
      labels: { to: text.to, includesResources: text.includesResources, startStopped: text.startStopped },
      hints: {},
      fields: {
        to: {
          ref: 'id',
          kind: 'select',
          value: targets[0]!.id,
          options: targets.map(({ id, name: called, team, region }) => ({
            value: id,
            text: `${called} · ${team.alias} · ${region.alias}`,
          })),
        },
      },
    },
    target: { release: { id: release.id } },
    planned,
  });
}
