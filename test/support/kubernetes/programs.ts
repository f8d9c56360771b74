/** What a program does when a node runs it. */
export interface Program {
  /** Why its container cannot be created: a reason and a message, and for how many seconds. */
  refusal?: { reason: string; message: string; seconds: number };
  /** After how many seconds it exits by itself. 0 is before it was seen to run. */
  exits?: { seconds: number; exitCode: number; reason: string };
  /** After how many seconds its probes succeed. */
  listensAfter?: number;
  /** Whether it goes on after SIGTERM. */
  isStubborn?: boolean;
  /** Whether its image has no `sleep`, so that a hook that needs it fails. */
  hasNoSleep?: boolean;
}

const pull = (reason: string) => (image: string) => ({
  refusal: { reason, message: `Back-off pulling image "${image}"`, seconds: Number.POSITIVE_INFINITY },
});

/** What the words in the tag of an image say about its program. The first that fits counts. */
const byTag: [RegExp, (image: string) => Program][] = [
  [/crash-later/, () => ({ exits: { seconds: 4, exitCode: 3, reason: 'Error' } })],
  [/crash/, () => ({ exits: { seconds: 0, exitCode: 3, reason: 'Error' } })],
  [/oom/, () => ({ exits: { seconds: 1, exitCode: 137, reason: 'OOMKilled' } })],
  [/broken/, pull('ImagePullBackOff')],
  [/invalid/, pull('InvalidImageName')],
  [
    /busy/,
    () => ({
      refusal: {
        reason: 'CreateContainerConfigError',
        message: 'failed to sync configmap cache: timed out waiting for the condition',
        seconds: Number.POSITIVE_INFINITY,
      },
    }),
  ],
  [/late/, () => ({ listensAfter: 5 })],
  [/deaf/, () => ({ listensAfter: Number.POSITIVE_INFINITY })],
  [/stubborn/, () => ({ isStubborn: true })],
  [/distroless/, () => ({ hasNoSleep: true })],
];

export function programOf(image: string): Program {
  const tag = /:([^/:@]+)(@|$)/.exec(image)?.[1] ?? '';
  return byTag.find(([pattern]) => pattern.test(tag))?.[1](image) ?? {};
}
