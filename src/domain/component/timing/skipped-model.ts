const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** The difference of a time zone to UTC at a time, in ms. Making the function takes longer than many calls. */
export function offsetsOf(timeZone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  return (ms) => {
    const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')!.value;
    const [, sign, hours = '0', minutes = '0'] = /^GMT(?:([+-])(\d+):(\d+))?/.exec(name)!;
    return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -minuteMs : minuteMs);
  };
}

/**
 * The moment at which the clocks of a time zone are set forward, if that leaves out the next time that they would have
 * shown. Null otherwise. `nextOf` finds the next time after another one, both as shown by the clocks, as if they were in UTC.
 */
export function skippedAfter(
  after: Date,
  offsetAt: (ms: number) => number,
  nextOf: (shown: Date) => Date | null,
): Date | null {
  const localTime = nextOf(new Date(after.getTime() + offsetAt(after.getTime())))?.getTime();
  if (localTime === undefined) return null;
  // No zone is more than a day from UTC, and none sets its clocks twice within two days.
  let before = localTime - dayMs;
  let until = localTime + dayMs;
  const [offset, later] = [offsetAt(before), offsetAt(until)];
  const isSkipped = later > offset && [offset, later].every((each) => offsetAt(localTime - each) !== each);
  if (!isSkipped) return null;
  while (until - before > minuteMs) {
    const middle = before + Math.floor((until - before) / 2 / minuteMs) * minuteMs;
    if (offsetAt(middle) === offset) before = middle;
    else until = middle;
  }
  return new Date(until);
}
