import { z } from 'zod';
import type { Row } from '../../../db/tables.ts';
import {
  maxDeadlineSeconds,
  type Probe,
  type Probes,
  shutdownDefaults,
} from '../../../drivers/region/health.ts';
import { probes } from '../../../drivers/region/probe-model.ts';
import { invalid } from '../../../kernel/validate.ts';

/** The columns of a component's probes, by the kind of the probe. */
export const probeColumn = {
  startup: 'startupProbe',
  readiness: 'readinessProbe',
  liveness: 'livenessProbe',
} as const satisfies { [kind in keyof Probes]: keyof Row<'Component'> };

type ProbeColumns = Pick<Row<'Component'>, (typeof probeColumn)[keyof typeof probeColumn]>;

const textOf = (probe: Probe | null) => (probe ? JSON.stringify(probe) : null);
const readProbe = (text: string | null) => (text ? (JSON.parse(text) as Probe) : null);

/** Equal probes have equal columns. */
export const probeColumnsOf = ({ startup, readiness, liveness }: Probes): ProbeColumns => ({
  startupProbe: textOf(startup),
  readinessProbe: textOf(readiness),
  livenessProbe: textOf(liveness),
});

export const storedProbes = (row: ProbeColumns): Probes => ({
  startup: readProbe(row.startupProbe),
  readiness: readProbe(row.readinessProbe),
  liveness: readProbe(row.livenessProbe),
});

export const healthDefaults = {
  checksPorts: true,
  ...shutdownDefaults,
  deployDeadlineSeconds: maxDeadlineSeconds,
} as const;

/** The health settings of a component, as in the input of `createComponent`. */
export const healthFields = {
  probes: probes.nullish().describe('The probes. Defaults to none.'),
  checksPorts: z
    .boolean()
    .nullish()
    .describe(
      'Whether ports that are open inside the cluster or have a gateway rule are checked by TCP if the component has no readiness probe. Defaults to true.',
    ),
  preStopSeconds: z
    .int32()
    .min(0)
    .max(3_600)
    .nullish()
    .describe(
      'The pause before an instance gets its termination signal, in seconds. Until then, it still answers requests. Defaults to 5. 0 means none.',
    ),
  terminationGracePeriodSeconds: z
    .int32()
    .min(1)
    .max(86_400)
    .nullish()
    .describe(
      'The time from the start of that pause until an instance is killed, in seconds. Must be longer than the pause. Defaults to 30.',
    ),
  deployDeadlineSeconds: z
    .int32()
    .min(10)
    .max(maxDeadlineSeconds)
    .nullish()
    .describe(
      'The time limit for a job to bring the component to its desired state, in seconds. Defaults to 86400. The setting `JOB_DEADLINE_MS` can set a shorter limit.',
    ),
};

type Shutdown = Pick<Row<'Component'>, 'preStopSeconds' | 'terminationGracePeriodSeconds'>;

/** INVALID_INPUT if an instance would be killed before its pause is over. `given` are the fields of the input. */
export function requireGracePeriod(after: Shutdown, given: { [field in keyof Shutdown]?: unknown }): void {
  if (after.terminationGracePeriodSeconds > after.preStopSeconds) return;
  if (given.terminationGracePeriodSeconds == null) {
    const most = after.terminationGracePeriodSeconds;
    throw invalid(['input', 'preStopSeconds'], `Must be less than terminationGracePeriodSeconds (${most})`);
  }
  throw invalid(
    ['input', 'terminationGracePeriodSeconds'],
    `Must be greater than preStopSeconds (${after.preStopSeconds})`,
  );
}
