/** A measurement, as the API returns it. */
export interface Point {
  at: string;
  value: number;
}

/** The times that a history is of. */
export interface Span {
  from: string;
  to: string;
  stepSeconds: number;
}

/** The columns of a chart: the times in seconds, and a value for each, which is null where nothing was recorded. */
export function columnsOf(points: readonly Point[], { from, to, stepSeconds }: Span) {
  const values = new Map(points.map(({ at, value }) => [Date.parse(at) / 1000, value]));
  const start = Date.parse(from) / 1000;
  const count = Math.floor((Date.parse(to) / 1000 - start) / stepSeconds) + 1;
  const times = Array.from({ length: count }, (_, index) => start + index * stepSeconds);
  return { times, values: times.map((time) => values.get(time) ?? null) };
}

/** The places of values between two gaps, to which no line leads. */
export const lonely = (values: readonly (number | null | undefined)[]): number[] =>
  values.flatMap((value, index) =>
    value != null && values[index - 1] == null && values[index + 1] == null ? [index] : [],
  );

/** The least, the greatest and the last value. Undefined if there is none. */
export function rangeOf(points: readonly Point[]) {
  const values = points.map(({ value }) => value);
  const last = values.at(-1);
  return last === undefined ? undefined : { least: Math.min(...values), most: Math.max(...values), last };
}
