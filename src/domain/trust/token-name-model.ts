import type { Claims } from '../../drivers/token-issuer/driver.ts';
import { displayName } from '../../kernel/validate.ts';

/** The longest name of an access token. */
const maxLength = 64;

const validName = displayName(maxLength);

/** The name of an exchanged token: the subject that it was exchanged for. */
export function tokenNameOf({ sub }: Claims): string {
  if (typeof sub !== 'string') return 'exchanged';
  const cut = sub.length > maxLength ? `${sub.slice(0, maxLength - 1)}…` : sub;
  const { data } = validName.safeParse(cut);
  return data ?? 'exchanged';
}
