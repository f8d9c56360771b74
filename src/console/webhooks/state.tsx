import { Tag, type Tone } from '../ui/status.tsx';
import { text } from './strings.ts';
import type { Webhook } from './webhook.ts';

/** Whether events are sent, and if not, why. */
export function WebhookState({
  webhook,
}: {
  webhook: Pick<Webhook, 'isEnabled' | 'disabledReason' | 'failingSince'>;
}) {
  const { isEnabled, disabledReason, failingSince } = webhook;
  const [name, tone]: [keyof typeof text.states, Tone] = !isEnabled
    ? [disabledReason ?? 'off', disabledReason ? 'bad' : 'idle']
    : failingSince
      ? ['failing', 'warn']
      : ['on', 'good'];
  return <Tag tone={tone}>{text.states[name]}</Tag>;
}
