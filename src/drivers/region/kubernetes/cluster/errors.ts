import { ApiError } from '../../../../kernel/errors.ts';
import { RegionWorkError } from '../../driver.ts';
import { autoscalingManager, type KubernetesObject, labels } from '../objects/objects.ts';
import { ClusterError, hasCode } from './answers.ts';

/**
 * An object in an error. The names of a component's objects have its name in the cluster, which is a generated alias by default, and
 * those of namespaces have the id of the team.
 */
export function subjectOf({ kind, metadata: { name, labels: has } }: KubernetesObject): string {
  if (has?.[labels.component] !== undefined) return `The ${kind} of the component`;
  return kind === 'Namespace' ? 'The namespace in the cluster' : `The ${kind} ${name}`;
}

/** Managers of fields that a conflict names, without what they used. */
const managersOf = ({ causes }: ClusterError) => [
  ...new Set(causes.flatMap(({ message }) => /^conflict with "([^"]+)"/.exec(message ?? '')?.[1] ?? [])),
];

export const isConflict = (error: unknown): error is ClusterError =>
  error instanceof ClusterError && error.causes.some(({ reason }) => reason === 'FieldManagerConflict');

/** Whether an object had another version than the one that was to be changed. */
export function isStale(error: unknown): boolean {
  const cause = error instanceof RegionWorkError ? error.cause : error;
  return hasCode(cause, 409) && !isConflict(cause);
}

const autoscalingConflict = `conflict with ${JSON.stringify(autoscalingManager)}`;

/**
 * Whether a conflict is with changes by hand alone (`using`), which are taken back, or with what the driver has handed over.
 * Another manager that applies the fields would take them again.
 */
export const isDrift = (error: ClusterError) =>
  error.causes.every(({ message }) => message === autoscalingConflict || / using \S+$/.test(message ?? ''));

/** Whether the cluster refuses an object because of what it says. */
export const isInvalid = (error: unknown) => hasCode(error, 422);

/** Whether a port or an address is still that of a Service that is being removed, or of somebody else. */
const isAllocated = ({ causes }: ClusterError) =>
  causes.length > 0 && causes.every(({ message }) => message?.endsWith('is already allocated'));

/** A failure as users see it. What the cluster refuses for good is permanent. */
export function workError(error: unknown, object?: KubernetesObject): unknown {
  if (error instanceof ApiError) return error;
  const subject = object ? subjectOf(object) : 'The cluster';
  if (isConflict(error)) {
    const managers = managersOf(error).join(', ');
    const fields = error.causes.map(({ field }) => field).join(', ');
    return new RegionWorkError(`${subject} is also managed by ${managers}: ${fields}`, {
      isPermanent: true,
      cause: error,
    });
  }
  if (error instanceof ClusterError) {
    const { code, reason, message } = error;
    // A body that the server cannot read is a 500 without a reason.
    const isUnreadable = code === 500 && reason === undefined && message.startsWith('failed to');
    const isPermanent = ([400, 413, 415, 422].includes(code) && !isAllocated(error)) || isUnreadable;
    if (code === 401)
      return new RegionWorkError(
        'The cluster rejected the credentials of the region. Ask an administrator to update them.',
        {
          isUnreachable: true,
          cause: error,
        },
      );
    const isUnreachable = error.isAway;
    return new RegionWorkError(`${subject} was refused: ${message}`, {
      isPermanent,
      isUnreachable,
      cause: error,
    });
  }
  const { code } = error as { code?: string };
  // Of the network or of TLS, whose names say more than their messages.
  if (typeof code === 'string' && /^(?!ERR_(?!TLS))[A-Z][A-Z0-9_]+$/.test(code)) {
    return new RegionWorkError(`The cluster did not answer: ${code}.`, { isUnreachable: true, cause: error });
  }
  return error;
}

/** Whether a watch has ended because the cluster cannot be reached, or the connection to it broke. */
export function isBroken(error: unknown): boolean {
  if (error instanceof ClusterError) return error.isAway;
  const { code, statusCode = 0 } = error as { code?: string; statusCode?: number };
  return typeof code === 'string' || statusCode === 401 || statusCode > 500;
}

/** Runs work on a cluster, with its failures as users see them. */
export async function withWorkErrors<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    throw workError(error);
  }
}

/** Items as they come, until the signal is aborted, with failures as users see them. */
export async function* followWithWorkErrors<T>(
  signal: AbortSignal,
  items: AsyncIterable<T>,
): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    if (!signal.aborted) throw workError(error);
  }
}
