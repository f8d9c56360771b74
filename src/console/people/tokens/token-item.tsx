import type { Item } from '../../act/action-bar.tsx';
import { lazyDialog } from '../../act/lazy-dialog.tsx';
import { text } from '../strings.ts';
import type { TokenOwner } from './token-dialog.tsx';

const TokenDialog = lazyDialog(async () => (await import('./token-dialog.tsx')).TokenDialog);

/** Makes a token for someone. */
export const newTokenItem = (key: string, owner: TokenOwner): Item => ({
  key,
  label: text.tokens.new,
  open: (close) => <TokenDialog owner={owner} draft={key} close={close} />,
});
