import { z } from 'zod';
import type { Row } from '../../../db/tables.ts';
import { ConflictError } from '../../../kernel/errors.ts';
import { plannedChange } from '../../../kernel/validate.ts';
import { componentRef } from '../model.ts';

type Component = Row<'Component'>;

export const autoscalingColumn = {
  minReplicas: 'minReplicas',
  maxReplicas: 'maxReplicas',
  cpuPercent: 'targetCpuPercent',
  memoryPercent: 'targetMemoryPercent',
} as const satisfies { [field: string]: keyof Component };

export type AutoscalingColumns = Pick<Component, (typeof autoscalingColumn)[keyof typeof autoscalingColumn]>;
export const autoscalingColumns = Object.values(autoscalingColumn);

/** The bounds within which the load sets the number of instances, and the load that it aims at. */
export interface Autoscaling {
  minReplicas: number;
  maxReplicas: number;
  /** Of what the instances request, in percent. At least one of the two is set. */
  cpuPercent: number | null;
  memoryPercent: number | null;
}

/** Null if the component has none. */
export const autoscalingOf = (row: Partial<AutoscalingColumns>): Autoscaling | null =>
  row.minReplicas == null || row.maxReplicas == null
    ? null
    : {
        minReplicas: row.minReplicas,
        maxReplicas: row.maxReplicas,
        cpuPercent: row.targetCpuPercent ?? null,
        memoryPercent: row.targetMemoryPercent ?? null,
      };

export const autoscalingColumnsOf = (autoscaling: Autoscaling | null): AutoscalingColumns => ({
  minReplicas: autoscaling?.minReplicas ?? null,
  maxReplicas: autoscaling?.maxReplicas ?? null,
  targetCpuPercent: autoscaling?.cpuPercent ?? null,
  targetMemoryPercent: autoscaling?.memoryPercent ?? null,
});

/** A number of instances that an autoscaling allows. */
export const withinBounds = (
  replicas: number,
  { minReplicas, maxReplicas }: Pick<Autoscaling, 'minReplicas' | 'maxReplicas'>,
) => Math.min(maxReplicas, Math.max(minReplicas, replicas));

const bound = z.int32().min(1).max(10_000);
const percent = z.int32().min(1).max(100).nullish();

export const autoscalingFields = {
  minReplicas: bound.describe('The minimum number of instances.'),
  maxReplicas: bound.describe('The maximum number of instances. It counts toward quotas.'),
  cpuPercent: percent.describe(
    'The target for the average CPU usage, as a percentage of the CPU request. Requires `cpuMillicores`.',
  ),
  memoryPercent: percent.describe(
    'The target for the average memory usage, as a percentage of the memory request. Requires `memoryMiB`.',
  ),
};

/** Bounds that contradict each other, and an autoscaling that looks at nothing, are invalid. */
export function requireBounds(
  given: z.output<z.ZodObject<typeof autoscalingFields>>,
  issues: z.RefinementCtx,
): void {
  if (given.maxReplicas < given.minReplicas) {
    const message = `Must be at least minReplicas (${given.minReplicas})`;
    issues.addIssue({ code: 'custom', path: ['maxReplicas'], message });
  }
  if (given.cpuPercent == null && given.memoryPercent == null) {
    const message = 'Is required, unless memoryPercent is set';
    issues.addIssue({ code: 'custom', path: ['cpuPercent'], message });
  }
}

export const setAutoscaling = z
  .strictObject({
    component: componentRef.describe('The component, whose instances must not have data of their own.'),
    ...autoscalingFields,
    ...plannedChange('the component'),
  })
  .superRefine(requireBounds);
export type SetAutoscaling = z.infer<typeof setAutoscaling>;

export const removeAutoscaling = z.strictObject({
  component: componentRef.describe('The component. It keeps its current number of instances.'),
  ...plannedChange('the component'),
});
export type RemoveAutoscaling = z.infer<typeof removeAutoscaling>;

type Scaled = Pick<Component, 'extendMethod' | 'cpuMillicores' | 'memoryMiB'> & Partial<AutoscalingColumns>;

/** Why a component cannot have the autoscaling that it has or gets. Undefined if it can, or has none. */
export function autoscalingProblem(row: Scaled): string | undefined {
  const autoscaling = autoscalingOf(row);
  if (!autoscaling) return undefined;
  if (row.extendMethod === 'state') return 'its extend method is STATE';
  if (autoscaling.cpuPercent !== null && row.cpuMillicores === 0) return 'it requests no CPU';
  if (autoscaling.memoryPercent !== null && row.memoryMiB === 0) return 'it requests no memory';
  return undefined;
}

/** CONFLICT if a component cannot have its autoscaling. */
export function requireScalable(row: Scaled & Pick<Component, 'name'>): void {
  const problem = autoscalingProblem(row);
  if (problem === undefined) return;
  throw new ConflictError(`The component ${row.name} cannot have an autoscaling, because ${problem}.`);
}

/** CONFLICT if the load sets the number of instances. */
export function requireFixedReplicas(row: Pick<Component, 'name'> & Partial<AutoscalingColumns>): void {
  const autoscaling = autoscalingOf(row);
  if (!autoscaling) return;
  const { minReplicas, maxReplicas } = autoscaling;
  throw new ConflictError(
    `The number of instances of the component ${row.name} is set by its autoscaling, from ${minReplicas} to ${maxReplicas}. Change it with setAutoscaling, or remove it with removeAutoscaling.`,
  );
}
