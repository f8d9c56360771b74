import { Claims, pathOf } from '../claims.ts';
import type { Value } from '../yaml.ts';
import type { KubernetesObject, OmittedPart } from './model.ts';
import { kubernetesRules } from './rules.ts';

export const kubernetesClaims = new Claims(kubernetesRules);

/** The template of the pods of a workload. */
export const templateOf = ({ spec }: KubernetesObject): KubernetesObject['spec'] =>
  spec?.jobTemplate?.spec?.template ?? spec?.template;

/** An object without the containers that the component does not have: all but the first. */
function withOneContainer(object: KubernetesObject): KubernetesObject {
  const containers: unknown[] | undefined = templateOf(object)?.spec?.containers;
  if (!containers || containers.length < 2) return object;
  const copy = structuredClone(object);
  templateOf(copy).spec.containers.length = 1;
  return copy;
}

/** Tells what no component has of an object. Of the containers of a workload, the first is the component. */
export function claim(object: KubernetesObject, tell: (part: OmittedPart) => void): void {
  const { kind, metadata } = object;
  const value = { [kind]: withOneContainer(object) } as unknown as Value;
  kubernetesClaims.walk(value, ({ keys, steps }, grade, reason) => {
    const path = pathOf(steps.map((step, index) => (step === '*' ? keys[index]! : step)));
    const key = path
      .replace(`${kind}.`, '')
      .replace(/^spec\.(jobTemplate\.spec\.)?template\.spec\./, '')
      .replace(/^spec\./, '');
    tell({ kind, name: metadata.name, what: `${key}: ${reason}`, grade });
  });
}
