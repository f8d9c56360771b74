import { z } from 'zod';
import { plannedChange } from '../../../kernel/validate.ts';
import { applicationRef } from '../../application/model.ts';
import { componentRef, createComponent } from '../model.ts';
import { updateComponent } from '../update/model.ts';
import { startStopped } from './scope-model.ts';

const force = z.boolean().nullish();
const { cpuMillicores, memoryMiB, replicas } = createComponent.shape;
const { cpuLimitMillicores, memoryLimitMiB } = updateComponent.shape;

export const deployComponent = z.strictObject({
  component: componentRef.describe('The component.'),
  ...plannedChange('the component'),
});

export const startComponent = z.strictObject({
  component: componentRef.describe('The component, which must be stopped.'),
  ...plannedChange('the component'),
});
export const restartComponent = startComponent.extend({
  component: componentRef.describe('The component, which must be running.'),
});

export const stopComponent = z.strictObject({
  component: componentRef.describe('The component, which must be running.'),
  force: force.describe(
    'Whether to stop the component even if deployed components depend on it. Defaults to false.',
  ),
  ...plannedChange('the component'),
});

export const scaleComponent = z.strictObject({
  component: componentRef.describe('The component. Omitted resources are unchanged.'),
  replicas: replicas.describe('The number of instances.'),
  cpuMillicores: cpuMillicores.describe('The CPU request per instance, in millicores (1000 = 1 core).'),
  memoryMiB: memoryMiB.describe('The memory request per instance, in MiB.'),
  cpuLimitMillicores,
  memoryLimitMiB,
  ...plannedChange('the component'),
});
export type ScaleComponent = z.infer<typeof scaleComponent>;

export const startApplication = z.strictObject({
  application: applicationRef.describe('The application.'),
  ...plannedChange('the application'),
});
// A copy, because each input type has a name of its own.
export const restartApplication = startApplication.extend({});

export const deployApplication = z.strictObject({
  application: applicationRef.describe('The application.'),
  startStopped,
  ...plannedChange('the application'),
});

export const stopApplication = z.strictObject({
  application: applicationRef.describe('The application.'),
  force: force.describe(
    'Whether to stop the components even if deployed components of other applications depend on them. Defaults to false.',
  ),
  ...plannedChange('the application'),
});
