import type { Field } from '../../form/values.ts';
import { text } from '../strings.ts';

const { labels, hints } = text;

/** How forms show the fields that new components and those that are changed have. */
export const componentFields: { readonly [path: string]: Partial<Field> | undefined } = {
  name: { label: labels.name, hint: undefined },
  description: { kind: 'area', hint: undefined },
  command: { label: labels.command, hint: undefined },
  replicas: { label: labels.replicas, hint: undefined, min: 0 },
  cpuMillicores: { min: 0, hint: undefined },
  memoryMiB: { min: 0, hint: undefined },
  gpuMemoryMiB: { label: labels.gpuMemoryMiB },
  checksPorts: { label: labels.checksPorts, hint: undefined },
  isInner: { label: labels.isInnerComponent },
  isUpgradedAfterBuild: { label: labels.isUpgradedAfterBuild },
  needsRoot: { label: labels.needsRoot, hint: hints.needsRoot },
  opensWebhooks: { label: labels.opensWebhooks },
  extendMethod: { label: labels.extendMethod },
  preDeployCommand: { hint: hints.preDeployCommand },
  preDeployTimeoutSeconds: { hint: undefined },
  preStopSeconds: { hint: hints.preStop },
  terminationGracePeriodSeconds: { hint: hints.gracePeriod },
  deployDeadlineSeconds: { hint: hints.deployDeadline },
};
