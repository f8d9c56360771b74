/** The end of work on a component: the state that it was to have, and its status before. */
interface EndedWork {
  outcome: string;
  state: string;
  previousStatus: string;
}

/**
 * The status that a component has after its last work, as far as the work says it. What was cancelled leaves it as it was, and
 * so does a stop that failed.
 */
export function statusAfterWork({ outcome, state, previousStatus }: EndedWork): string {
  if (outcome === 'succeeded') return state;
  return outcome === 'failed' && state === 'running' ? 'abnormal' : previousStatus;
}
