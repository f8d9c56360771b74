import { timing as text } from '../strings/timing.ts';
import type { Field, Values } from './values.ts';

interface Timing {
  cron: string;
  timeZone: string;
}

/** The fields that say when a schedule does something. */
export const timingFields = (timing?: Timing | null): Field[] => [
  {
    name: 'cron',
    label: text.cron,
    hint: text.cronHint,
    value: timing?.cron ?? '',
    placeholder: '30 3 * * *',
    required: true,
  },
  {
    name: 'timeZone',
    label: text.timeZone,
    hint: text.timeZoneHint,
    value: timing?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    required: true,
  },
];

/** The values of these fields. */
export const timingOf = ({ cron, timeZone }: Values): Timing => ({
  cron: String(cron).trim(),
  timeZone: String(timeZone).trim(),
});
