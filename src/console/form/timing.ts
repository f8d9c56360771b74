import { timing as text } from '../strings/timing.ts';

/** The fields that say when a schedule does something. */
export const timingFields = {
  cron: { label: text.cron, hint: text.cronHint, placeholder: '30 3 * * *', required: true },
  timeZone: { label: text.timeZone, hint: text.timeZoneHint, required: true },
};

export const timeZoneHere = () => Intl.DateTimeFormat().resolvedOptions().timeZone;
