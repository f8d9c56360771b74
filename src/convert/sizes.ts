/** What an instance requests if nothing is written, which is the default of components as well. */
const defaultRequests = { cpuMillicores: 500, memoryMiB: 512 } as const;
type Resource = keyof typeof defaultRequests;
export const resources = Object.keys(defaultRequests) as Resource[];

/** The field of a limit. */
export const limitOf = { cpuMillicores: 'cpuLimitMillicores', memoryMiB: 'memoryLimitMiB' } as const;

const units = { cpuMillicores: 'millicores', memoryMiB: 'MiB' } as const;

/** What is written of a size. */
interface Given {
  request: number | undefined;
  limit: number | undefined;
}

interface Size {
  request: number;
  /** At least what is requested. Null without a limit. */
  limit: number | null;
}

/** The size of an instance. As in Kubernetes, a limit without a request is requested as a whole. */
export function sizeOf(resource: Resource, { request, limit }: Given): Size {
  const requested = request ?? limit ?? defaultRequests[resource];
  return { request: requested, limit: limit === undefined ? null : Math.max(limit, requested) };
}

/** A size in a manifest, where a limit defaults to the request. */
export const sizeEntry = (resource: Resource, { request, limit }: Size): Record<string, number | string> => ({
  [resource]: request,
  ...(limit !== request && { [limitOf[resource]]: limit ?? 'none' }),
});

/** Says so where no size is written. */
export function tellUnwritten(
  sizes: { [resource in Resource]: Given },
  tell: (reason: string) => void,
): void {
  const texts = resources
    .filter((each) => sizes[each].request === undefined && sizes[each].limit === undefined)
    .map((each) => `${defaultRequests[each]} ${units[each]}`);
  if (texts.length === 0) return;
  tell(`No size is written: an instance requests ${texts.join(' and ')}, and has no such limit.`);
}
