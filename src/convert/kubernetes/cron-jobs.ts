import type { FoundComponent, FoundSchedule, KubernetesObject, OmittedPart } from './model.ts';
import { componentOf, type References } from './workload.ts';

/** The longest that a run may take. */
const longestRun = 86_400;

const concurrencies: Record<string, FoundSchedule['concurrency']> = { Forbid: 'forbid', Replace: 'replace' };

/** What stands for five fields. */
const named: Record<string, string> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** A CronJob as a component without instances whose schedule runs its command. Undefined if it has no command to run. */
export function scheduledOf(
  cronJob: KubernetesObject,
  references: References,
  tellPart: (part: OmittedPart) => void,
): FoundComponent | undefined {
  const { kind, metadata, spec } = cronJob;
  const tell = (what: string, grade: OmittedPart['grade'] = 'CHANGED') =>
    tellPart({ kind, name: metadata.name, what, grade });
  const { schedule, concurrencyPolicy, timeZone = null, suspend, jobTemplate } = spec;
  const { template, activeDeadlineSeconds, backoffLimit = 6 } = jobTemplate.spec;
  const { command = [], args = [] } = template.spec.containers[0];
  const cron = named[schedule] ?? schedule;
  if (command.length === 0 || !/^[\w*?/,-]+( +[\w*?/,-]+){4}$/.test(cron)) {
    const reason =
      command.length === 0 ? 'the command of its image' : 'a command at a time that no schedule can have';
    tell(`the CronJob, which runs ${reason} (${schedule}): write it as a schedule`, 'LOST');
    return undefined;
  }
  const component = componentOf(cronJob, references, tellPart);
  const seconds = activeDeadlineSeconds ?? template.spec.activeDeadlineSeconds;
  if (!(seconds <= longestRun)) tell(`that runs are not ended after ${longestRun} seconds`);
  if (backoffLimit > 0) tell('that runs that fail are repeated');
  // Runs are beside the instances, of which there are none.
  const volumes = component.volumes.filter(({ name, type, accessMode }) => {
    const isLeftOut = type === 'share-file' && !/^Read(Write|Only)Many$/.test(accessMode ?? '');
    if (isLeftOut) tell(`the volume ${name}: runs have those that instances can share`, 'LOST');
    return !isLeftOut;
  });
  const found: FoundSchedule = {
    name: component.name,
    cron,
    timeZone,
    command: [...command, ...args].map(String),
    concurrency: concurrencies[concurrencyPolicy] ?? 'allow',
    timeoutSeconds: Math.min(longestRun, seconds ?? longestRun),
    isPaused: suspend === true,
  };
  return { ...component, volumes, entrypoint: null, command: null, replicas: 0, schedules: [found] };
}
