import { useQuery } from 'urql';
import { type DialogProps, MessageDialog } from '../act/dialog-frame.tsx';
import { ManifestPlanView } from '../act/manifest-plan.tsx';
import { ReleaseDiffQuery } from '../documents/releases.ts';
import { strings } from '../strings.ts';
import { Notice } from '../ui/blocks.tsx';
import { text } from './strings.ts';

/** The changes from one release to another one. */
export function ChangesDialog({
  from,
  to,
  close,
}: DialogProps<{ from: { id: string; number: number }; to: number }>) {
  const [{ data, error }] = useQuery({
    query: ReleaseDiffQuery,
    variables: { by: { id: from.id }, to },
  });
  const changes = data?.release?.diff;
  return (
    <MessageDialog title={text.changesTitle(from.number, to)} isWide close={close}>
      {!data && !error && <p role="status">{strings.common.loading}</p>}
      {error && <Notice tone="bad">{error.message}</Notice>}
      {changes?.length === 0 && <p className="soft">{text.nothing}</p>}
      {changes && changes.length > 0 && (
        <ManifestPlanView plan={{ changes, leftOver: [], adopted: [], images: [], leftStopped: [] }} />
      )}
    </MessageDialog>
  );
}
