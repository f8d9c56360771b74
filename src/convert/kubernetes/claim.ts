import { Claims, pathOf } from '../claims.ts';
import type { Value } from '../yaml.ts';
import type { KubernetesObject, OmittedPart } from './model.ts';
import { kubernetesRules } from './rules.ts';

const kubernetesClaims = new Claims(kubernetesRules);

/** Tells what no component has of an object. Of the containers of a workload, the first is the component. */
export function claim(object: KubernetesObject, tell: (part: OmittedPart) => void): void {
  const {
    kind,
    metadata: { name },
  } = object;
  const pod = object.spec?.template?.spec;
  const spec = pod && {
    ...object.spec,
    template: { ...object.spec.template, spec: { ...pod, containers: pod.containers.slice(0, 1) } },
  };
  const value = { [kind]: { ...object, ...(spec && { spec }) } } as unknown as Value;
  kubernetesClaims.walk(value, ({ keys, steps }, grade, reason) => {
    const path = pathOf(steps.map((step, index) => (step === '*' ? keys[index]! : step)));
    const key = path.replace(`${kind}.`, '').replace('spec.template.spec.', '').replace('spec.', '');
    tell({ kind, name, what: `${key}: ${reason}`, grade });
  });
}
