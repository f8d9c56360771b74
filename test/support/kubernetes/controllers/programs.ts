/** What a program does when a node runs it. */
export interface Program {
  /** Why its container cannot be created: a reason and a message, and for how many seconds. An image has the answer of its registry. */
  refusal?: { reason: string; message: string; seconds: number; cause?: string };
  /** After how many seconds it exits by itself. 0 is before it was seen to run. */
  exits?: { seconds: number; exitCode: number; reason: string; message?: string };
  /** After how many seconds its probes succeed. */
  listensAfter?: number;
  /** What it answers to probes that fail. Nothing listens by default. */
  answers?: string;
  /** Whether its liveness probe fails from the start. It ends by itself at the signal. */
  hangs?: boolean;
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
  const none = /^\/bin\/none\b/.exec(text)?.[0];
  if (none) return noCommand(none);
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

/** A container whose program is not in its image, as containerd says it. */
const noCommand = (program: string): Program => ({
  exits: {
    seconds: 0,
    exitCode: 128,
    reason: 'StartError',
    message: `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "${program}": stat ${program}: no such file or directory: unknown`,
  },
});

const pull =
  (reason: string, answer = '', seconds = Number.POSITIVE_INFINITY) =>
  (image: string) => ({
    refusal: {
      reason,
      message: `Back-off pulling image "${image}"`,
      seconds,
      cause: `${answer ? 'rpc error: code = Unknown' : 'rpc error: code = NotFound'} desc = failed to pull and unpack image "${image}": failed to resolve reference "${image}": ${answer || `${image}: not found`}`,
    },
  });

/** A registry that does not answer. */
const away =
  'failed to do request: Head "https://registry.example/v2/web/manifests/1": dial tcp 10.9.0.7:443: connect: connection refused';

/** What the words in the tag of an image say about its program. The first that fits counts. */
const byTag: [RegExp, (image: string) => Program][] = [
  [/crash-later/, () => ({ exits: { seconds: 4, exitCode: 3, reason: 'Error' } })],
  [/crash/, () => ({ exits: { seconds: 0, exitCode: 3, reason: 'Error' } })],
  [/oom/, () => ({ exits: { seconds: 1, exitCode: 137, reason: 'OOMKilled' } })],
  [/broken/, pull('ImagePullBackOff')],
  [
    /private/,
    pull(
      'ImagePullBackOff',
      'failed to authorize: failed to fetch anonymous token: unexpected status from GET request to https://registry.example/token: 401 Unauthorized',
    ),
  ],
  [/away/, pull('ImagePullBackOff', away, 20)],
  [/gone/, pull('ImagePullBackOff', away)],
  [/nocommand/, () => noCommand('/bin/none')],
  [/hung/, () => ({ hangs: true })],
  [
    /sick/,
    () => ({
      listensAfter: Number.POSITIVE_INFINITY,
      answers: 'HTTP probe failed with statuscode: 503',
    }),
  ],
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
