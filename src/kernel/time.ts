/** A moment of ISO 8601, with its zone. */
const pattern = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** The moment that a text names; nothing when there is no such day, or one of the databases cannot keep it. */
export function timeOf(text: unknown): Date | undefined {
  const match = typeof text === 'string' ? pattern.exec(text) : null;
  if (!match) return undefined;
  const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number];
  // Without this the 30th of February would be the 2nd of March.
  if (day < 1 || day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return undefined;
  const time = new Date(match[0]);
  const utcYear = time.getUTCFullYear();
  // A zone can lead out of the years of four digits, which text comparisons and Postgres need.
  return utcYear >= 1 && utcYear <= 9999 ? time : undefined;
}
