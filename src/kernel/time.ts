/** An ISO 8601 time with a zone. */
const pattern = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** Parses a time. Undefined if the date does not exist or one of the databases cannot store it. */
export function timeOf(text: unknown): Date | undefined {
  const match = typeof text === 'string' ? pattern.exec(text) : null;
  if (!match) return undefined;
  const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number];
  // Otherwise, February 30 would be parsed as March 2.
  if (day < 1 || day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return undefined;
  const time = new Date(match[0]);
  const utcYear = time.getUTCFullYear();
  // With its zone applied, a time can leave the four-digit years that text comparisons and Postgres require.
  return utcYear >= 1 && utcYear <= 9999 ? time : undefined;
}
