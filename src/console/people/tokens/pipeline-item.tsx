import { lazyItem } from '../../act/lazy-item.tsx';
import { strings } from '../../strings.ts';
import type { Begin } from '../access/grant-fields.tsx';

const item = lazyItem(
  strings.act.pipelineToken,
  async () => (await import('./token-dialog.tsx')).TokenDialog,
);

/** Makes a token with which a pipeline works on a component or an application. */
export const pipelineTokenItem = (team: string, begin: Required<Begin>) =>
  item('pipeline-token', { owner: { kind: 'choice', team, name: begin.place.name }, begin });
