import type { ComponentIdentity, DesiredComponent, DesiredVolume } from '../../desired.ts';
import { jobNameOf } from '../../object-names.ts';
import type { RunOrder } from '../../runs.ts';
import { type KubernetesObject, labels, labelsOf } from '../objects/objects.ts';
import { configurationOf } from '../workload/configuration.ts';
import { pullSecretOf } from '../workload/pull-secret.ts';
import { accessModeOf, claimsOf, isData, podTemplateOf } from '../workload/workload.ts';

/**
 * How much later than Trellis the cluster ends a run that takes too long. It removes the pod at once, with a log that nobody has
 * read, so it does so only if no gateway was there.
 */
const lateSeconds = 60;

/** The labels of the Jobs of a component and of their pods, which must not look like instances. */
function runLabelsOf(component: ComponentIdentity): Record<string, string> {
  const { [labels.component]: id, ...rest } = labelsOf(component);
  return { ...rest, [labels.runOf]: id! };
}

/** Volumes that a run can use beside the instances. Those of a stateful component belong to one instance each. */
const isShared =
  ({ extendMethod }: DesiredComponent) =>
  (volume: DesiredVolume) =>
    !isData(volume) ||
    volume.isShared === true ||
    (extendMethod !== 'state' && accessModeOf(volume) !== 'ReadWriteOnce');

/** The component with the volumes that a run has. */
const sharedBy = (component: DesiredComponent): DesiredComponent => ({
  ...component,
  volumes: component.volumes.filter(isShared(component)),
});

/** The objects that a run reads beside its Job: the configuration applied with it, and the claims of the component. */
export const readBy = (component: DesiredComponent, settings: Parameters<typeof claimsOf>[1]) => ({
  configuration: [
    ...Object.values(configurationOf(component)).filter((object) => object !== undefined),
    ...pullSecretOf(component),
  ],
  claims: claimsOf(sharedBy(component), settings),
});

/** The Job of a run: an instance that gets no requests, with another command. */
export function jobOf(component: DesiredComponent, run: RunOrder): KubernetesObject {
  const { spec } = podTemplateOf(sharedBy(component), { restarted: undefined, hasSleep: false });
  // Runs are not among the instances that are spread.
  const { topologySpreadConstraints, ...pod } = spec;
  const [main, ...others] = pod.containers;
  const { args, ports, startupProbe, readinessProbe, livenessProbe, lifecycle, ...container } = main;
  const labelsOfRun = { ...runLabelsOf(component), [labels.run]: run.id };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: jobNameOf(component, run), labels: labelsOfRun },
    spec: {
      // A command that failed is not repeated.
      backoffLimit: 0,
      activeDeadlineSeconds: run.timeoutSeconds + lateSeconds,
      template: {
        metadata: { labels: labelsOfRun },
        spec: {
          ...pod,
          restartPolicy: 'Never',
          containers: [{ ...container, command: [...run.command] }, ...others],
        },
      },
    },
  };
}
