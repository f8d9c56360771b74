import type { Trellis } from './trellis.ts';

export interface Omission {
  kind: string;
  component: string | null;
  name: string;
  reason: string;
}

export interface Copy {
  application: { appId: number; name: string } | null;
  job: { uid: number } | null;
  omitted: Omission[];
  leftStopped: string[];
  plan: { action: string; summary: string }[];
}

const selection =
  'application { appId: uid name } job { uid } omitted { kind component name reason } leftStopped plan { action summary }';

/** The payload of a copy, or its error. */
export const tryCopy = (trellis: Trellis, input: object, token?: string) =>
  trellis.attempt('copyApplication', input, selection, token);

export async function copy(...args: Parameters<typeof tryCopy>): Promise<Copy> {
  const result = await tryCopy(...args);
  if (result.__typename !== 'CopyApplicationPayload') throw new Error(JSON.stringify(result));
  return result as unknown as Copy;
}

/** What a copy leaves out, in short: `schedule web nightly`. */
export const shortly = (omitted: readonly Omission[]): string[] =>
  omitted
    .map(({ kind, component, name }) => [kind.toLowerCase(), component, name].filter(Boolean).join(' '))
    .sort();
