import { z } from 'zod';
import { probeFields, withProbeRules } from '../../../drivers/region/probe-model.ts';
import { plannedChange } from '../../../kernel/validate.ts';
import { componentRef } from '../model.ts';

const { startup, readiness, liveness } = probeFields;

export const setProbes = withProbeRules(
  z.strictObject({
    component: componentRef.describe('The component. Omitted probes are unchanged.'),
    startup: startup.describe(
      'The startup probe. Until it succeeds, the other probes do not run. An instance that fails it is restarted. Null removes it.',
    ),
    readiness: readiness.describe(
      'The readiness probe. An instance receives requests, and counts as running, while it succeeds. Null removes it.',
    ),
    liveness: liveness.describe(
      'The liveness probe. An instance that fails it is restarted. Null removes it.',
    ),
    ...plannedChange('the component'),
  }),
);
export type SetProbes = z.infer<typeof setProbes>;
