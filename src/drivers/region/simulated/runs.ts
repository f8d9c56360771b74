import { setTimeout as sleep } from 'node:timers/promises';
import type { LogLine } from '../instances.ts';
import { filterOf } from '../log-filter.ts';
import type { InspectedRun, RunAccess, RunOrder, RunReport } from '../runs.ts';

/** The exit code of a simulated run: that of the first `exit` in its command, else 0. */
const exitCodeOf = ({ command }: RunOrder) =>
  Number(/\bexit (\d{1,3})\b/.exec(command.join(' '))?.[1] ?? 0) % 256;

/** How long a simulated run takes: the seconds of the first `sleep` in its command, else as long as anything else. */
function durationOf({ command }: RunOrder, delayMs: number): number {
  const seconds = /\bsleep (\d{1,6})\b/.exec(command.join(' '))?.[1];
  return seconds === undefined ? delayMs : Number(seconds) * 1_000;
}

function reportOf(run: RunOrder, delayMs: number): RunReport {
  const startedAt = run.startedAt ?? new Date();
  const timeoutMs = run.timeoutSeconds * 1_000;
  const lastsMs = durationOf(run, delayMs);
  const [endMs, isLate] = lastsMs > timeoutMs ? [timeoutMs, true] : [lastsMs, false];
  const endedAt = new Date(startedAt.getTime() + endMs);
  const running: RunReport = { phase: 'running', exitCode: null, startedAt, endedAt: null, reason: null };
  if (endedAt.getTime() > Date.now()) return running;
  if (isLate) return { ...running, phase: 'timedOut', endedAt };
  const exitCode = exitCodeOf(run);
  return { ...running, phase: exitCode === 0 ? 'succeeded' : 'failed', exitCode, endedAt };
}

type TimedText = Pick<LogLine, 'text'> & { at: Date };

const nanoseconds = (at: Date) => `${at.toISOString().slice(0, -1)}000000Z`;

/** The log of a simulated run: its command, the output of `echo` in it, and its exit code. */
function linesOf(run: InspectedRun): LogLine[] {
  const { startedAt, endedAt, exitCode } = run;
  if (!startedAt) return [];
  const text = run.command.join(' ');
  const texts: TimedText[] = [
    `$ ${text}`,
    ...[...text.matchAll(/\becho ([^;&|]+)/g)].map(([, each]) => each!),
  ].map((each) => ({ at: startedAt, text: each.trim() }));
  if (endedAt && exitCode !== null) texts.push({ at: endedAt, text: `exit code ${exitCode}` });
  const instance = `${run.component.clusterName}-run-${run.id.slice(0, 12)}`;
  return texts.map((each) => ({ instance, container: 'main', at: nanoseconds(each.at), text: each.text }));
}

/** How often a followed run is looked at. */
const everyMs = 200;

/**
 * Runs as the database knows them: they take as long as a component takes to start, or as a `sleep` in their command says, and end
 * with the code of an `exit` in it.
 */
export function simulatedRuns(delayMs: number): RunAccess {
  return {
    start: async (_region, _component, run) => reportOf(run, delayMs),
    look: async (_region, _component, run) => reportOf(run, delayMs),
    end: async () => true,
    logs: async (run, query) => {
      const lines = linesOf(run).filter(filterOf(query));
      return { lines: lines.slice(-query.tail), isTruncated: false };
    },
    stored: async () => ({ gap: 'no_logs_url' }),
    async *follow(run, { tail, after }, signal) {
      let position = [...after.values()][0];
      const fresh = (lines: LogLine[]) =>
        lines.filter(({ at }) => position === undefined || (at !== null && at > position));
      for (let isFirst = true; !signal.aborted; isFirst = false) {
        const startedAt = run.startedAt;
        const current = startedAt ? { ...run, ...reportOf(run, delayMs) } : run;
        const lines = fresh(linesOf(current));
        const newLines = isFirst && position === undefined ? lines.slice(-tail) : lines;
        if (newLines.length > 0) yield newLines;
        position = lines.at(-1)?.at ?? position;
        if (!startedAt || current.endedAt) return;
        await sleep(everyMs, undefined, { signal }).catch(() => {});
      }
    },
  };
}
