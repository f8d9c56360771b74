import type { Item } from '../../act/action-bar.tsx';
import { lazyDialog } from '../../act/lazy-dialog.tsx';
import { strings } from '../../strings.ts';
import type { Begin } from '../access/grant-fields.tsx';

const TokenDialog = lazyDialog(async () => (await import('./token-dialog.tsx')).TokenDialog);

/** Makes a token with which a pipeline works on a component or an application. */
export const pipelineTokenItem = (team: string, begin: Required<Begin>): Item => ({
  key: 'pipeline-token',
  label: strings.act.pipelineToken,
  open: (close) => (
    <TokenDialog
      owner={{ kind: 'choice', team, name: begin.place.name }}
      begin={begin}
      draft="pipeline-token"
      close={close}
    />
  ),
});
