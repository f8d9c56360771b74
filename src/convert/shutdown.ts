/** The pause of an instance before it gets its signal to end, as components have it by default. */
const preStopSeconds = 5;

/**
 * How an instance ends. A grace period that is not longer than the pause is left to the process as a whole, because it is what
 * the process was given so far.
 */
export function shutdownOf(seconds: number, tell: (reason: string) => void) {
  const terminationGracePeriodSeconds = Math.min(86_400, Math.max(1, Math.round(seconds)));
  if (terminationGracePeriodSeconds > preStopSeconds)
    return { preStopSeconds, terminationGracePeriodSeconds };
  tell(
    `There is no pause before the signal to end, because the grace period is not longer than its ${preStopSeconds} seconds: write \`preStopSeconds\` and a longer one if requests fail during deploys.`,
  );
  return { preStopSeconds: 0, terminationGracePeriodSeconds };
}
