import { z } from 'zod';
import { probeFields, withProbeRules } from '../../../drivers/region/probe-model.ts';
import { plannedChange } from '../../../kernel/validate.ts';
import { componentRef } from '../model.ts';

const { startup, readiness, liveness } = probeFields;

export const setProbes = withProbeRules(
  z.strictObject({
    component: componentRef.describe('The component. Omitted probes are unchanged.'),
    startup: startup.describe(
      'Until it succeeds, the other probes do not run. An instance that fails it is restarted. Null removes it.',
    ),
    readiness: readiness.describe(
      'Whether an instance receives requests, and counts as running. Null removes it.',
    ),
    liveness: liveness.describe('An instance that fails it is restarted. Null removes it.'),
    ...plannedChange('the component'),
  }),
);
export type SetProbes = z.infer<typeof setProbes>;
