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
  /** Whether its image runs as root. */
  isRoot?: boolean;
  /** The lines that it writes when it starts. */
  output?: readonly string[];
}

/**
 * What the command of a pod that ends by itself does: `echo` writes, `sleep 5` takes five seconds instead of one, and `exit 3` ends
 * it with that code.
 */
export function programOfCommand(command: readonly string[]): Program {
  const text = command.join(' ');
  const number = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? Number.NaN);
  const exitCode = number(/\bexit (\d+)/) || 0;
  const seconds = number(/\bsleep (\d+)/);
  return {
    exits: {
      seconds: Number.isNaN(seconds) ? 1 : seconds,
      exitCode,
      reason: exitCode === 0 ? 'Completed' : 'Error',
    },
    output: [...text.matchAll(/\becho ([^;&|]+)/g)].map(([, line]) => line!.trim()),
  };
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
  [/root/, () => ({ isRoot: true })],
  [/late/, () => ({ listensAfter: 5 })],
  [/deaf/, () => ({ listensAfter: Number.POSITIVE_INFINITY })],
  [/stubborn/, () => ({ isStubborn: true })],
  [/distroless/, () => ({ hasNoSleep: true })],
];

export function programOf(image: string): Program {
  const tag = /:([^/:@]+)(@|$)/.exec(image)?.[1] ?? '';
  return byTag.find(([pattern]) => pattern.test(tag))?.[1](image) ?? {};
}
