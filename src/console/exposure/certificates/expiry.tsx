import { Tag } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { text } from './strings.ts';

const dayMs = 86_400_000;
/** How long before its end a certificate should be replaced. */
const warnedDays = 30;

export type Validity = 'expired' | 'soon' | 'valid';

export function validityOf(expiresAt: string, now = Date.now()): Validity {
  const left = Date.parse(expiresAt) - now;
  return left <= 0 ? 'expired' : left < warnedDays * dayMs ? 'soon' : 'valid';
}

/** When a certificate expires, or that it has. */
export function Expiry({ at }: { at: string }) {
  const validity = validityOf(at);
  const content = (
    <span>
      {validity === 'expired' ? text.expired : text.expires} <Time at={at} />
    </span>
  );
  if (validity === 'valid') return <span className="soft small">{content}</span>;
  return <Tag tone={validity === 'expired' ? 'bad' : 'warn'}>{content}</Tag>;
}
