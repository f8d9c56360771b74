import { claim } from './claim.ts';
import type { FoundNamespace, KubernetesObject, OmittedPart } from './model.ts';
import { takeRoutes, takeServices } from './routes.ts';
import { takeAutoscalers } from './scale.ts';
import { componentOf, type References } from './workload.ts';

/** The objects of a namespace, by what they are for a component. */
interface NamespaceObjects {
  /** Deployments and StatefulSets. */
  workloads: readonly KubernetesObject[];
  services: readonly KubernetesObject[];
  /** Ingress and HTTPRoute objects. */
  routes: readonly KubernetesObject[];
  autoscalers: readonly KubernetesObject[];
}

/** What components can have of the objects of a namespace. */
export function foundIn(
  { workloads, services, routes, autoscalers }: NamespaceObjects,
  references: References,
): FoundNamespace {
  const omitted: OmittedPart[] = [];
  const tell = (part: OmittedPart) => {
    omitted.push(part);
  };
  const imported = workloads.map((workload) => ({
    workload,
    component: componentOf(workload, references, tell),
  }));
  for (const object of [...workloads, ...services, ...routes, ...autoscalers]) claim(object, tell);
  takeAutoscalers(autoscalers, imported, tell);
  takeRoutes(routes, takeServices(services, imported, tell), tell);
  return { components: imported.map(({ component }) => component), omitted };
}
