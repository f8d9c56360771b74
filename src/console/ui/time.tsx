const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

/** How long ago it was; the exact time on hover. */
export function Time({ at }: { at: string }) {
  const date = new Date(at);
  const seconds = Math.round((date.getTime() - Date.now()) / 1000);
  const [unit, size] = units.find(([, each]) => Math.abs(seconds) >= each) ?? (['second', 1] as const);
  return (
    <time dateTime={at} title={exact.format(date)}>
      {relative.format(Math.trunc(seconds / size), unit)}
    </time>
  );
}

const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

/** The day of a time, such as an expiry; the exact time on hover. */
export function Day({ at }: { at: string }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={exact.format(date)}>
      {day.format(date)}
    </time>
  );
}

/** From one time to another, or to now. */
export function Duration({ from, to }: { from: string | null; to: string | null }) {
  if (!from) return null;
  const seconds = Math.max(0, (to ? Date.parse(to) : Date.now()) - Date.parse(from)) / 1000;
  return seconds < 60
    ? `${seconds.toFixed(1)} s`
    : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
