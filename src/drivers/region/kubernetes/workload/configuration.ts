import type { DesiredComponent, DesiredVolume } from '../../desired.ts';
import { nameOf, shortHash } from '../../object-names.ts';
import { type KubernetesObject, labelsOf, ordered } from '../objects/objects.ts';

export const isFile = ({ type }: DesiredVolume) => type === 'config-file';
export const fileKey = (index: number) => `file-${index}`;

/** The variables by name, each once, so that their order makes no difference. */
const variablesOf = ({ variables }: DesiredComponent) =>
  [...variables].sort((one, other) => (one.name < other.name ? -1 : 1));

/** The configuration that instances of a component read at their start. */
export interface Configuration {
  /** The variables that are no secrets. */
  plain: KubernetesObject | undefined;
  secret: KubernetesObject | undefined;
  files: KubernetesObject | undefined;
}

/**
 * The variables and files of a component. Their names contain a hash of their content: instances of an older version, which
 * can start again at any time, find what they have started with before.
 */
export function configurationOf(component: DesiredComponent): Configuration {
  const object = (kind: 'ConfigMap' | 'Secret', name: string, entries: [string, string][]) => {
    if (entries.length === 0) return undefined;
    const data = Object.fromEntries(entries);
    const unique = nameOf(component, `${name}-${shortHash(ordered(data))}`);
    return { apiVersion: 'v1', kind, metadata: { name: unique, labels: labelsOf(component) }, data };
  };
  const variables = (isSecret: boolean) =>
    variablesOf(component).filter((variable) => variable.isSecret === isSecret);
  const files = component.volumes.filter(isFile);
  return {
    plain: object(
      'ConfigMap',
      'env',
      variables(false).map(({ name, value }) => [name, value]),
    ),
    // With `stringData`, a variable that is removed would stay.
    secret: object(
      'Secret',
      'env',
      variables(true).map(({ name, value }) => [name, Buffer.from(value).toString('base64')]),
    ),
    files: object(
      'ConfigMap',
      'files',
      files.map(({ fileContent }, index) => [fileKey(index), fileContent]),
    ),
  };
}

/** Whether an instance has started, so that it does not read its configuration again if it is to end. */
const hasStarted = ({ status }: KubernetesObject) =>
  (status?.containerStatuses ?? []).some(
    ({ state, lastState }: { state?: Record<string, unknown>; lastState?: Record<string, unknown> }) =>
      state?.running || state?.terminated || lastState?.terminated,
  );

/** The ConfigMaps and Secrets that instances can still read, as `KIND NAME`. */
export function configurationReadBy(pods: readonly KubernetesObject[]): Set<string> {
  const readers = pods.filter((pod) => !pod.metadata.deletionTimestamp || !hasStarted(pod));
  return new Set(
    readers.flatMap(({ spec }) => [
      ...(spec.containers ?? []).flatMap(({ envFrom = [] }: KubernetesObject['spec']) =>
        envFrom.map(({ configMapRef, secretRef }: KubernetesObject['spec']) =>
          configMapRef ? `ConfigMap ${configMapRef.name}` : `Secret ${secretRef?.name}`,
        ),
      ),
      ...(spec.volumes ?? []).map(({ configMap, secret }: KubernetesObject['spec']) =>
        configMap ? `ConfigMap ${configMap.name}` : `Secret ${secret?.secretName}`,
      ),
      ...(spec.imagePullSecrets ?? []).map(({ name }: { name: string }) => `Secret ${name}`),
    ]),
  );
}
