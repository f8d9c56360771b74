/** The pause of an instance before it gets its signal to end, as components have it by default. */
const preStopSeconds = 5;

const longest = { grace: 86_400, pause: 3_600 };

/**
 * How an instance ends, with the pause that it makes itself, if it makes one. A grace period that is not longer than the pause is left to the process as a whole, because it is what
 * the process was given so far.
 */
export function shutdownOf(seconds: number, tell: (reason: string) => void, pause?: number) {
  const terminationGracePeriodSeconds = Math.min(longest.grace, Math.max(1, Math.round(seconds)));
  if (seconds > longest.grace) tell(`Instances are ended after ${longest.grace} seconds.`);
  if (pause !== undefined) {
    const most = Math.min(terminationGracePeriodSeconds - 1, longest.pause);
    return { preStopSeconds: Math.min(pause, most), terminationGracePeriodSeconds };
  }
  if (terminationGracePeriodSeconds > preStopSeconds)
    return { preStopSeconds, terminationGracePeriodSeconds };
  tell(
    `There is no pause before the signal to end, because the grace period is not longer than its ${preStopSeconds} seconds: write \`preStopSeconds\` and a longer one if requests fail during deploys.`,
  );
  return { preStopSeconds: 0, terminationGracePeriodSeconds };
}
