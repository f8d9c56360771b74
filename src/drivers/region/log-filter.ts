import type { LogFilter, LogLine } from './instances.ts';

/** Every line. */
export const noFilter: LogFilter = { since: null, until: null, search: null };

/** A time as that of a line, with the digits below milliseconds. */
const timeOf = (date: Date, digits: string) => date.toISOString().replace('Z', `${digits}Z`);

/** Whether a line is asked for. A line without a time is of any time. */
export function filterOf({
  since,
  until,
  search,
}: LogFilter): (line: Pick<LogLine, 'at' | 'text'>) => boolean {
  const first = since && timeOf(since, '000000');
  const last = until && timeOf(until, '999999');
  const term = search?.toLowerCase();
  return ({ at, text }) =>
    !(first && at !== null && at < first) &&
    !(last && at !== null && at > last) &&
    (term === undefined || text.toLowerCase().includes(term));
}
