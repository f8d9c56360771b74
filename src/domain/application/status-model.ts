import { z } from 'zod';

/** The status of an application, which follows from the states of its components. */
export const applicationStatuses = {
  empty: 'The application has no components.',
  undeploy: 'No component was ever deployed.',
  abnormal: 'No deployed component is healthy.',
  some_abnormal: 'Some components are not healthy.',
  running: 'Every component is deployed, and none is known to be unhealthy.',
  some_running: 'Some components are deployed, and others are stopped or were never deployed.',
  closed: 'No component is deployed, and at least one is stopped.',
} as const;
export type ApplicationStatus = keyof typeof applicationStatuses;
const names = Object.keys(applicationStatuses) as [ApplicationStatus, ...ApplicationStatus[]];
export const applicationStatus = z.enum(names);

/** The names of the statuses in GraphQL. */
export const stateNames: Record<ApplicationStatus, string> = {
  empty: 'EMPTY',
  undeploy: 'NOT_DEPLOYED',
  abnormal: 'UNHEALTHY',
  some_abnormal: 'PARTLY_UNHEALTHY',
  running: 'RUNNING',
  some_running: 'PARTLY_RUNNING',
  closed: 'STOPPED',
};

/**
 * How many of the components are not healthy: no deployed one is healthy, some are not, or none is known not to be. What is
 * unhealthy counts before the deploy states.
 */
export type Unhealthy = 'all' | 'some' | 'none';

/**
 * The components by which an application has a status: how many are unhealthy, and of their deploy states, some component is in
 * one of each of `some`, and none is in one of `none`. Every set of states fits exactly one.
 */
export const statusRules: {
  [status in ApplicationStatus]: {
    unhealthy: Unhealthy;
    some: readonly (readonly string[])[];
    none: readonly string[];
  };
} = {
  empty: { unhealthy: 'none', some: [], none: ['undeploy', 'running', 'closed'] },
  undeploy: { unhealthy: 'none', some: [['undeploy']], none: ['running', 'closed'] },
  abnormal: { unhealthy: 'all', some: [], none: [] },
  some_abnormal: { unhealthy: 'some', some: [], none: [] },
  running: { unhealthy: 'none', some: [['running']], none: ['undeploy', 'closed'] },
  some_running: { unhealthy: 'none', some: [['running'], ['undeploy', 'closed']], none: [] },
  closed: { unhealthy: 'none', some: [['closed']], none: ['running'] },
};

export function applicationStatusFor(
  states: ReadonlySet<string>,
  unhealthy: Unhealthy = 'none',
): ApplicationStatus {
  const has = (state: string) => states.has(state);
  const fits = (status: ApplicationStatus) => {
    const rule = statusRules[status];
    return rule.unhealthy === unhealthy && rule.some.every((each) => each.some(has)) && !rule.none.some(has);
  };
  return applicationStatus.options.find(fits)!;
}
