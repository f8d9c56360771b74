import type { Field, Values } from '../../form/values.ts';
import { text } from '../strings.ts';

const { lifetimes, fields } = text.tokens;
const dayMs = 86_400_000;
const lengths = [7, 30, 90, 365];
const defaultDays = '90';

/** When a token expires. One that is made with a token that expires cannot outlast it. */
export function lifetimeField(from: number, end: string | null): Field {
  const until = end === null ? Number.POSITIVE_INFINITY : Date.parse(end);
  const days = lengths.filter((each) => from + each * dayMs < until);
  return {
    name: 'expires',
    label: fields.expires,
    path: 'expiresAt',
    kind: 'select',
    value: end === null || days.includes(Number(defaultDays)) ? defaultDays : 'inherit',
    options: [
      ...days.map((each) => ({ value: String(each), text: lifetimes.days(each) })),
      end === null
        ? { value: 'never', text: lifetimes.never }
        : { value: 'inherit', text: lifetimes.inherit },
    ],
  };
}

export function lifetimeInput({ expires }: Values, from: number): { expiresAt?: string | null } {
  if (expires === 'inherit') return {};
  if (expires === 'never') return { expiresAt: null };
  return { expiresAt: new Date(from + Number(expires) * dayMs).toISOString() };
}
