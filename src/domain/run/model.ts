import { z } from 'zod';
import { instanceLimits } from '../../drivers/region/instances.ts';
import { identifier, reference } from '../../kernel/reference.ts';
import { commandWords, expectedRevision } from '../../kernel/validate.ts';
import { commandText, commandTimeout, timeoutText } from '../component/command-model.ts';
import { componentRef } from '../component/model.ts';

export const runRef = reference('run', { runId: identifier('The `uid` of the run.') });
export type RunRef = z.infer<typeof runRef>;

export const runStatuses = {
  pending: 'The command has not started yet.',
  running: 'The command is running.',
  cancelling: 'Cancelled, and being ended by the region.',
  succeeded: 'The command ended with the exit code 0.',
  failed: 'The command ended with another exit code, or could not be started.',
  timed_out: 'Ended, because it took longer than `timeoutSeconds`.',
  cancelled: 'Cancelled.',
} as const;
export type RunStatus = keyof typeof runStatuses;
export const runStatus = z.enum(Object.keys(runStatuses) as [RunStatus, ...RunStatus[]]);

/** The next statuses of a run by its status. A run without one is over. */
const transitions: { readonly [status in RunStatus]: readonly RunStatus[] } = {
  pending: ['running', 'cancelling', 'succeeded', 'failed', 'timed_out'],
  running: ['cancelling', 'succeeded', 'failed', 'timed_out'],
  cancelling: ['cancelled'],
  succeeded: [],
  failed: [],
  timed_out: [],
  cancelled: [],
};

export const canBecome = (from: string, to: RunStatus): boolean =>
  from === to || transitions[from as RunStatus].includes(to);
export const isOver = (status: string): boolean => transitions[status as RunStatus].length === 0;

/** The runs of a component that have not ended, at most. */
export const maxUnfinished = 20;
/** The runs of a component that stay, those that have not ended and the last ones that have. */
export const maxKept = 100;

export const commandField = commandWords.describe(
  `The command, as a list of words, for example \`["npm", "run", "migrate"]\`. ${commandText}`,
);

export const timeoutField = commandTimeout
  .nullish()
  .describe(`The time limit of a run, in seconds. A run that exceeds it is ended. ${timeoutText}`);

export const runComponent = z.strictObject({
  component: componentRef.describe('The component.'),
  command: commandField,
  timeoutSeconds: timeoutField,
});
export type RunComponent = z.infer<typeof runComponent>;

export const cancelRun = z.strictObject({
  run: runRef.describe('The run.'),
  expectedRevision: expectedRevision('the run'),
});
export type CancelRun = z.infer<typeof cancelRun>;

export const runFilter = z.strictObject({
  status: runStatus.nullish().describe('Returns only runs with this status.'),
});
export type RunFilter = z.infer<typeof runFilter>;

/** How many lines of a log are returned unless another number is given. */
export const defaultTail = 100;
export const logTail = z.int32().min(1).max(instanceLimits.lines).nullish();
