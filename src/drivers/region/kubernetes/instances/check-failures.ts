import type { PodEvent } from '../cluster/pod-events.ts';

interface ContainerProbe {
  httpGet?: { path?: string; port?: number | string; scheme?: string };
  tcpSocket?: { port?: number | string };
  grpc?: { port?: number };
  exec?: { command?: string[] };
  timeoutSeconds?: number;
}

export interface ProbedContainer {
  name: string;
  readinessProbe?: ContainerProbe;
  livenessProbe?: ContainerProbe;
  startupProbe?: ContainerProbe;
}

const kinds = ['readiness', 'liveness', 'startup'] as const;
type CheckKind = (typeof kinds)[number];

/** The longest part of a text that a program or a cluster has written. */
const maxPart = 300;

/** A text in one line, without control characters. */
export function inOneLine(text: string, most = maxPart): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
}

const failurePattern = /^(Readiness|Liveness|Startup) probe (?:failed|errored)[^:]*: ?([\s\S]*)$/;

/** Causes as the kubelet writes them, and in few words. The first that fits counts. */
const causes: [RegExp, (match: RegExpExecArray, probe: ContainerProbe) => string][] = [
  [/connection refused/, () => 'connection refused'],
  [/connection reset by peer/, () => 'connection reset'],
  [/no route to host/, () => 'no route to host'],
  [/statuscode: (\d+)/, ([, code]) => `HTTP status ${code}`],
  [
    /Client\.Timeout|deadline exceeded|i\/o timeout|timed out|^timeout:/,
    (_, { timeoutSeconds = 1 }) => `no answer within ${timeoutSeconds} s`,
  ],
  [/server gave HTTP response to HTTPS client/, () => 'the port answers HTTP, not HTTPS'],
];

function howOf(message: string, probe: ContainerProbe): string {
  for (const [pattern, say] of causes) {
    const match = pattern.exec(message);
    if (match) return `: ${say(match, probe)}`;
  }
  const text = inOneLine(message.replace(/^Get "[^"]*": /, ''));
  return text ? `: ${text}` : probe.exec ? ' without output' : '';
}

function checkName(kind: CheckKind, { httpGet, tcpSocket, grpc, exec }: ContainerProbe): string {
  if (httpGet)
    return `the ${kind} check of port ${httpGet.port} (GET ${inOneLine(httpGet.path ?? '/', 100)})`;
  if (tcpSocket) return `the ${kind} check of port ${tcpSocket.port}`;
  if (grpc) return `the ${kind} check of port ${grpc.port} (gRPC)`;
  return exec
    ? `the ${kind} check \`${inOneLine(exec.command?.join(' ') ?? '', 100)}\``
    : `the ${kind} check`;
}

/** The container that an event is about, and its probe. The first one is that of the component. */
function probeOf(containers: readonly ProbedContainer[], name: string | null, kind: CheckKind) {
  const container = containers.find((each) => each.name === name) ?? containers[0];
  const isOwn = container === containers[0];
  return {
    probe: container?.[`${kind}Probe`] ?? {},
    of: isOwn ? '' : ` of the container ${container!.name}`,
  };
}

/** The failed check that an event is about. Undefined for an event about something else. */
export const failedKind = ({ reason, message }: PodEvent): CheckKind | undefined =>
  reason === 'Unhealthy'
    ? (failurePattern.exec(message)?.[1]?.toLowerCase() as CheckKind | undefined)
    : undefined;

/** Which check failed, and how: "the readiness check of port 3000 failed: connection refused". */
export function checkFailure(containers: readonly ProbedContainer[], event: PodEvent): string {
  const kind = failedKind(event)!;
  const { probe, of } = probeOf(containers, event.container, kind);
  const [, , message = ''] = failurePattern.exec(event.message)!;
  return `${checkName(kind, probe)}${of} failed${howOf(message, probe)}`;
}

const killPattern = /failed (readiness|liveness|startup) probe/;

/** The check for which the kubelet ended a container. Undefined for an event about something else. */
export const killedFor = ({ reason, message }: PodEvent): CheckKind | undefined =>
  reason === 'Killing' ? (killPattern.exec(message)?.[1] as CheckKind | undefined) : undefined;

/** A check that failed, of which no event says how. */
export function checkFailed(containers: readonly ProbedContainer[], event: PodEvent): string {
  const kind = killedFor(event)!;
  const { probe, of } = probeOf(containers, event.container, kind);
  return `${checkName(kind, probe)}${of} failed`;
}
