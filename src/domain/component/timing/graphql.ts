import type { Types } from '../../../graphql/schema/builder.ts';
import { validatedBy } from '../../../graphql/schema/validation.ts';
import { cronFields, nextRunCount, nextRunCounts } from './model.ts';
import { nextRunsOf } from './reads.ts';
import { type Timing, timedFields } from './times-model.ts';

type Fields<S> = PothosSchemaTypes.ObjectFieldBuilder<Types, S>;

/** The fields of a schedule that say when it does something: `what` is done then. */
export function timingFields<S extends Timing>(t: Fields<S>, what: string, nextRuns = '') {
  return {
    cron: t.using('cron').string({
      description: `The times at which ${what}, as a cron expression: ${cronFields}.`,
      resolve: ({ cron }) => cron,
    }),
    timeZone: t.using('timeZone').string({
      description: 'The time zone of the expression.',
      resolve: ({ timeZone }) => timeZone,
    }),
    nextRuns: t.using(...timedFields).field({
      type: ['DateTime'],
      description: `The next times at which ${what}.${nextRuns}`,
      args: {
        first: t.arg.int({
          description: `The number of times to return, from 1 to ${nextRunCounts.most}. Defaults to ${nextRunCounts.usual}.`,
          validate: validatedBy(nextRunCount),
        }),
      },
      resolve: (schedule, { first }, context) =>
        nextRunsOf(schedule as S, context).slice(0, first ?? nextRunCounts.usual),
    }),
  };
}
