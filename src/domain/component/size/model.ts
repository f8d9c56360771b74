import type { Model, Row } from '../../../db/tables.ts';
import type { RequestBudget } from '../../../kernel/budget.ts';
import { ConflictError } from '../../../kernel/errors.ts';
import { defaultLimits } from '../../../kernel/limits.ts';

/** What belongs to components. */
export const parts = [
  'Port',
  'EnvironmentVariable',
  'Volume',
  'Schedule',
  'ComponentDependency',
  'HttpRule',
  'TcpRule',
] as const satisfies Model[];

/**
 * The most components of a team in a region. Their names are unique there: changes that add components read the names of all, which
 * takes about 4 µs for each, while others wait.
 */
export const maxComponents = 25_000;

/** What objects count in a change, by the time for which others wait for them: a port takes about 30 µs. */
export const changeWeights = {
  Component: 8,
  Port: 1,
  EnvironmentVariable: 0.5,
  Volume: 1,
  Schedule: 1,
  ComponentDependency: 1,
  HttpRule: 4,
  TcpRule: 4,
} as const satisfies { [M in 'Component' | (typeof parts)[number]]: number };

/**
 * The most components and parts of an application. Changes of all of it, such as a deploy, read and write them in one transaction,
 * for which others wait.
 */
export const maxObjectsFor = ({
  budget,
}: {
  budget?: Pick<RequestBudget, 'applicationObjects'> | undefined;
}): number => budget?.applicationObjects ?? defaultLimits.applicationObjects;

/**
 * The most bytes of the files and environment variables of a component together, which is the limit of a Secret and a ConfigMap.
 * @see https://kubernetes.io/docs/concepts/configuration/secret/#restriction-data-size
 */
export const maxConfigurationBytes = 2 ** 20;

/**
 * The most characters of a stored deployment: encrypted JSON, which is longer than the configuration in it. The largest allowed
 * configuration fits, unless most of its characters are escaped in JSON.
 */
export const maxStoredSpec = 4 * maxConfigurationBytes;

export const configurationLimit = `${maxConfigurationBytes / 1024} KiB`;

const kib = (bytes: number) => `${Math.ceil(bytes / 1024)} KiB`;

const tooLarge = (name: string, bytes: number): string =>
  `The component ${name} has ${kib(bytes)} of files and environment variables, and can have at most ${configurationLimit}.`;

/**
 * CONFLICT if one of the components has more than a component can be deployed with, or all of them more than one change can
 * deploy.
 */
export function requireDeployable(
  components: readonly Pick<Row<'Component'>, 'id' | 'name'>[],
  sizes: ReadonlyMap<string, number>,
  most = Number.POSITIVE_INFINITY,
): void {
  let all = 0;
  for (const { id, name } of components) {
    const bytes = sizes.get(id) ?? 0;
    if (bytes > maxConfigurationBytes) throw new ConflictError(tooLarge(name, bytes));
    all += bytes;
  }
  if (all <= most) return;
  throw new ConflictError(
    `The components to deploy have ${kib(all)} of files and environment variables. One change can deploy at most ${kib(most)}. Deploy fewer components at once.`,
  );
}

/** CONFLICT if what is stored of a deploy would be too large to be loaded. */
export function requireStorable({ name }: Pick<Row<'Component'>, 'name'>, sealedSpec: string): void {
  if (sealedSpec.length <= maxStoredSpec) return;
  throw new ConflictError(
    `The component ${name} cannot be deployed: its configuration takes ${kib(sealedSpec.length)} after encryption, and the limit is ${kib(maxStoredSpec)}. Make files and environment variables smaller.`,
  );
}

/** Why a component cannot be carried out or brought back that was deployed with more than a component can have. */
export const deployedTooLarge = (name: string): string =>
  `The files and environment variables of the component ${name}, with those that its dependencies provide, have more than ${configurationLimit}. Make them smaller and deploy it again.`;

type Sized = { name: string; value: string } | { path: string; fileContent: string };

/** The bytes of variables and files. */
export function bytesOf(parts: readonly Sized[]): number {
  let bytes = 0;
  for (const part of parts) {
    bytes +=
      'value' in part
        ? Buffer.byteLength(part.name) + Buffer.byteLength(part.value)
        : Buffer.byteLength(part.path) + Buffer.byteLength(part.fileContent);
  }
  return bytes;
}
