import { lazyItem } from '../../act/lazy-item.tsx';
import { text } from '../strings.ts';
import type { TokenOwner } from './token-dialog.tsx';

const item = lazyItem(text.tokens.new, async () => (await import('./token-dialog.tsx')).TokenDialog);

/** Makes a token for someone. */
export const newTokenItem = (key: string, owner: TokenOwner) => item(key, { owner });
