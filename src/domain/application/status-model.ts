import { z } from 'zod';

/** The status of an application, which follows from the desired states of its components. */
export const applicationStatuses = {
  empty: 'It has no components.',
  undeploy: 'No component was ever deployed.',
  running: 'Every component is deployed.',
  some_running: 'Some components are deployed, and others are stopped or were never deployed.',
  closed: 'No component is deployed, and at least one is stopped.',
} as const;
export type ApplicationStatus = keyof typeof applicationStatuses;
export const applicationStatus = z.enum(
  Object.keys(applicationStatuses) as [ApplicationStatus, ...ApplicationStatus[]],
);

/**
 * The deploy states of components by which an application has a status: some component is in one of each of `some`, and
 * none is in one of `none`. Every set of states fits exactly one.
 */
export const statusRules: {
  [status in ApplicationStatus]: { some: readonly (readonly string[])[]; none: readonly string[] };
} = {
  empty: { some: [], none: ['undeploy', 'running', 'closed'] },
  undeploy: { some: [['undeploy']], none: ['running', 'closed'] },
  running: { some: [['running']], none: ['undeploy', 'closed'] },
  some_running: { some: [['running'], ['undeploy', 'closed']], none: [] },
  closed: { some: [['closed']], none: ['running'] },
};

/** The status of an application whose components are in these deploy states. */
export function applicationStatusFor(states: ReadonlySet<string>): ApplicationStatus {
  const has = (state: string) => states.has(state);
  const fits = (status: ApplicationStatus) => {
    const { some, none } = statusRules[status];
    return some.every((each) => each.some(has)) && !none.some(has);
  };
  return applicationStatus.options.find(fits)!;
}
