/** A field of a cron expression: its bounds, and the names that stand for numbers. */
interface Field {
  noun: string;
  min: number;
  max: number;
  names?: readonly string[];
}

/** Five fields as Kubernetes accepts them. @see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-syntax */
const fields: readonly Field[] = [
  { noun: 'minute', min: 0, max: 59 },
  { noun: 'hour', min: 0, max: 23 },
  { noun: 'day of the month', min: 1, max: 31 },
  {
    noun: 'month',
    min: 1,
    max: 12,
    names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { noun: 'day of the week', min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];

export const maxCronLength = 200;

const partsOf = (cron: string): string[] => cron.trim().split(/ +/);

/** The expression as it is stored: one space between two fields. */
export const tidyCron = (cron: string): string => partsOf(cron).join(' ');

/** A list entry: `*`, `?`, a value or a range, with an optional step. */
const entryPattern = /^(?:[*?]|([a-z]+|\d+)(?:-([a-z]+|\d+))?)(?:\/(\d+))?$/i;

function numberOf(text: string, { min, max, names }: Field): number | undefined {
  const index = names?.indexOf(text.toLowerCase()) ?? -1;
  const value = index < 0 ? (/^\d{1,2}$/.test(text) ? Number(text) : Number.NaN) : index + min;
  return value >= min && value <= max ? value : undefined;
}

/** The values that an entry lists. `isAny` is one that stands for all, which decides how the two fields of days are combined. */
function valuesOf(entry: string, field: Field): { values: number[]; isAny: boolean } | undefined {
  const match = entryPattern.exec(entry);
  if (!match) return undefined;
  const [, from, to, by] = match;
  const step = by === undefined ? 1 : Number(by);
  if (step < 1) return undefined;
  const first = from === undefined ? field.min : numberOf(from, field);
  // `5/15` is `5-59/15`.
  const open = from === undefined || by !== undefined ? field.max : first;
  const last = to === undefined ? open : numberOf(to, field);
  if (first === undefined || last === undefined || last < first) return undefined;
  const values: number[] = [];
  for (let value = first; value <= last; value += step) values.push(value);
  return { values, isAny: from === undefined && step === 1 };
}

/** A field with nothing but numbers and commas, or `*`. Undefined if it is invalid. */
function plainField(text: string, field: Field): string | undefined {
  const values = new Set<number>();
  let isAny = false;
  for (const entry of text.split(',')) {
    const part = valuesOf(entry, field);
    if (!part) return undefined;
    for (const value of part.values) values.add(value);
    isAny ||= part.isAny;
  }
  return isAny ? '*' : [...values].sort((one, other) => one - other).join(',');
}

/** Why a text is no cron expression. Undefined if it is one. */
export function cronProblem(cron: string): string | undefined {
  const parts = partsOf(cron);
  if (parts.length !== fields.length) {
    return 'Must have five fields: minute, hour, day of the month, month and day of the week, for example `30 3 * * *`';
  }
  const index = parts.findIndex((part, at) => plainField(part, fields[at]!) === undefined);
  if (index < 0) return undefined;
  const { noun, min, max, names } = fields[index]!;
  const named = names ? `, or names such as ${names[1]!.toUpperCase()}` : '';
  return `The ${noun} must be \`*\`, or numbers from ${min} to ${max}${named}, as values, ranges, lists and steps`;
}

/**
 * A valid expression in the part of the syntax that all implementations read in the same way: `*`, or a list of numbers for each
 * field. As in Kubernetes, a day has to match one of the two fields of days, or both if one of them is `*`.
 */
export const plainCron = (cron: string): string =>
  partsOf(cron)
    .map((part, at) => plainField(part, fields[at]!)!)
    .join(' ');

/** The most days that each month can have: those of a leap year. */
const longestMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether a valid expression names a day that exists in some year. It is computed from the fields, however rare the day is. */
export function hasDay(cron: string): boolean {
  const [, , days, months, weekdays] = plainCron(cron).split(' ') as [string, string, string, string, string];
  // A day of the week exists in every month, and restricts nothing only if it is `*`.
  if (days === '*' || weekdays !== '*') return true;
  const earliest = Number(days.split(',', 1)[0]);
  const allowed = months === '*' ? longestMonths.keys() : months.split(',').map((month) => Number(month) - 1);
  return [...allowed].some((month) => earliest <= longestMonths[month]!);
}
