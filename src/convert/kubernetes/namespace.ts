import { unused } from '../names.ts';
import { claim } from './claim.ts';
import { scheduledOf } from './cron-jobs.ts';
import type { FoundComponent, FoundNamespace, KubernetesObject, OmittedPart } from './model.ts';
import { type Imported, takeRoutes, takeServices } from './routes.ts';
import { takeAutoscalers, takeBudgets } from './scale.ts';
import { shareClaims } from './shared-claims.ts';
import { textsOf } from './texts.ts';
import { componentOf, type References } from './workload.ts';

type Tell = (part: OmittedPart) => void;

/** The kinds of the objects that are read, beside those that workloads refer to. */
export const importedKinds = [
  'Deployment',
  'StatefulSet',
  'CronJob',
  'Service',
  'Ingress',
  'HTTPRoute',
  'HorizontalPodAutoscaler',
  'PodDisruptionBudget',
  'DaemonSet',
  'Job',
] as const;
type ImportedKind = (typeof importedKinds)[number];

export const isWorkload = ({ kind }: Pick<KubernetesObject, 'kind'>): boolean =>
  kind === 'Deployment' || kind === 'StatefulSet' || kind === 'CronJob';

/** What workloads can refer to. */
export type Find = (
  kind: 'ConfigMap' | 'Secret' | 'PersistentVolumeClaim',
  name: string,
) => KubernetesObject | undefined;

/** Tells of each object that is used, once. */
function referencesIn(find: Find, tell: Tell): References {
  const used = new Map<KubernetesObject, Record<string, string>>();
  const use = (...[kind, name]: Parameters<Find>) => {
    const object = find(kind, name);
    if (!object || used.has(object)) return object;
    claim(object, tell);
    const omit = (key: string) =>
      tell({ kind, name, what: `the value of ${key}, which is not a text in base64`, grade: 'LOST' });
    used.set(object, kind === 'PersistentVolumeClaim' ? {} : textsOf(object, omit));
    return object;
  };
  return {
    data(kind, name) {
      const object = use(kind, name);
      return object && used.get(object);
    },
    claim: (name) => use('PersistentVolumeClaim', name),
  };
}

/** Components of one application have different names, whatever their objects are. */
function nameApart(
  components: readonly FoundComponent[],
  tell: Tell,
  kindOf: (index: number) => string,
): void {
  const taken = new Set<string>();
  for (const [index, component] of components.entries()) {
    const { name } = component;
    component.name = unused(name, taken);
    taken.add(component.name);
    if (component.name === name) continue;
    tell({ kind: kindOf(index), name, what: `its name, which another has: it is ${component.name}` });
  }
}

const isToldAsWhole = ({ kind }: KubernetesObject) => kind === 'DaemonSet' || kind === 'Job';

/** Tells of an object that becomes no part of a component. */
function tellWhole({ kind, metadata }: KubernetesObject, tell: Tell): void {
  const { name } = metadata;
  const hook = metadata.annotations?.['helm.sh/hook'];
  const part = hook
    ? { what: `the ${kind}, which a chart runs as a hook (${hook}): run its command by hand` }
    : kind === 'DaemonSet'
      ? { what: 'the DaemonSet: instances are not started on each node', grade: 'LOST' as const }
      : kind === 'Job'
        ? { what: 'the Job: run its command by hand' }
        : kind === 'Namespace'
          ? { what: 'the Namespace: teams have namespaces of their own', grade: 'INFO' as const }
          : { what: `the ${kind}, which has no counterpart` };
  tell({ kind, name, ...part });
}

/** What components can have of the objects of a namespace. */
export function foundIn(objects: readonly KubernetesObject[], find: Find): FoundNamespace {
  const omitted: OmittedPart[] = [];
  const tell: Tell = (part) => void omitted.push(part);
  const references = referencesIn(find, tell);
  const of = (...kinds: ImportedKind[]) => objects.filter(({ kind }) => kinds.some((each) => each === kind));
  const workloads = of('Deployment', 'StatefulSet', 'CronJob');
  const all = workloads.flatMap((workload): Imported[] => {
    const make = workload.kind === 'CronJob' ? scheduledOf : componentOf;
    const component = make(workload, references, tell);
    if (component) claim(workload, tell);
    return component ? [{ workload, component }] : [];
  });
  // Those that were first keep their names.
  nameApart(
    all.map(({ component }) => component),
    tell,
    (index) => all[index]!.workload.kind,
  );
  shareClaims(all, tell);
  const imported = all.filter(({ workload }) => workload.kind !== 'CronJob');
  const [services, routes] = [of('Service'), of('Ingress', 'HTTPRoute')];
  const [autoscalers, budgets] = [of('HorizontalPodAutoscaler'), of('PodDisruptionBudget')];
  for (const object of [...services, ...routes, ...autoscalers, ...budgets]) claim(object, tell);
  takeAutoscalers(autoscalers, imported, tell);
  takeBudgets(budgets, imported, tell);
  takeRoutes(routes, takeServices(services, imported, tell), tell);
  for (const { component, workload } of imported) {
    const isChecked = component.ports.some(({ isInner, protocol }) => isInner && protocol !== 'udp');
    if (component.probes.readiness || !isChecked) continue;
    const what = 'that it has no readiness probe: instances are ready once they accept connections at a port';
    tell({ kind: workload.kind, name: workload.metadata.name, what, grade: 'INFO' });
  }
  const read: readonly string[] = importedKinds;
  for (const object of objects)
    if (!read.includes(object.kind) || isToldAsWhole(object)) tellWhole(object, tell);
  return { components: all.map(({ component }) => component), omitted };
}
