import { describe, expect, it } from 'vitest';
import type { PodEvent } from '../../../../src/drivers/region/kubernetes/cluster/pod-events.ts';
import {
  mayPassLater,
  pullCause,
} from '../../../../src/drivers/region/kubernetes/instances/pull-failures.ts';
import { Rollout } from '../../../../src/drivers/region/kubernetes/instances/rollout.ts';
import { observed } from '../../../../src/drivers/region/kubernetes/instances/status.ts';
import { eventNeed, troubleOf } from '../../../../src/drivers/region/kubernetes/instances/trouble.ts';
import type { KubernetesObject } from '../../../../src/drivers/region/kubernetes/objects/objects.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 23, 7, 24, seconds)).toISOString();
const event = (
  seconds: number,
  reason: string,
  message: string,
  container: string | null = 'main',
): PodEvent => ({
  ...{ reason, message, container },
  lastMs: Date.parse(at(seconds)),
});

const probe = { timeoutSeconds: 2, periodSeconds: 2 };
const containers = (given: object) => [{ name: 'main', image: 'web:1', ...given }];
const tcp = containers({ readinessProbe: { ...probe, tcpSocket: { port: 3000 } } });
const conditions = (ready: string, lastTransitionTime = at(0)) => [
  { type: 'Ready', status: ready, lastTransitionTime },
];

/** A pod with a node, whose container is in a state. */
const pod = (status: object, of: object[] = tcp, more: object = {}): KubernetesObject =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-1', namespace: 'ns', uid: 'u1', ...more },
    spec: { nodeName: 'node-1', containers: of },
    status: {
      phase: 'Running',
      conditions: conditions('False'),
      containerStatuses: [{ name: 'main', ready: false, restartCount: 0, lastState: {}, ...status }],
    },
  }) as KubernetesObject;
const running = (startedAt = at(1), more: object = {}) => ({ state: { running: { startedAt } }, ...more });
const waiting = (reason: string, message?: string) => ({ state: { waiting: { reason, message } } });

describe('a check that fails', () => {
  const http = { ...probe, httpGet: { path: '/health', port: 3000, scheme: 'HTTP' } };
  const said = (message: string, given: object = tcp[0]!) =>
    troubleOf(pod(running(), containers(given)), [event(2, 'Unhealthy', message)])?.reason;

  it.each([
    [
      'Readiness probe failed: dial tcp 198.18.64.13:3000: connect: connection refused',
      tcp[0]!,
      'the readiness check of port 3000 failed: connection refused',
    ],
    [
      'Readiness probe failed: dial tcp 198.18.64.13:3000: i/o timeout',
      tcp[0]!,
      'the readiness check of port 3000 failed: no answer within 2 s',
    ],
    [
      'Readiness probe failed: HTTP probe failed with statuscode: 503',
      { readinessProbe: http },
      'the readiness check of port 3000 (GET /health) failed: HTTP status 503',
    ],
    [
      'Readiness probe failed: Get "http://198.18.64.13:3000/health": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
      { readinessProbe: http },
      'the readiness check of port 3000 (GET /health) failed: no answer within 2 s',
    ],
    [
      'Startup probe failed: dial tcp 198.18.64.133:7: connect: connection refused',
      { startupProbe: { tcpSocket: { port: 7 } } },
      'the startup check of port 7 failed: connection refused',
    ],
    [
      'Readiness probe failed: service unhealthy (responded with "NOT_SERVING")',
      { readinessProbe: { grpc: { port: 9000 } } },
      'the readiness check of port 9000 (gRPC) failed: service unhealthy (responded with "NOT_SERVING")',
    ],
    [
      'Readiness probe failed: /var/run/pg: no response\nsecond\u0000 line',
      { readinessProbe: { exec: { command: ['pg_isready', '-q'] } } },
      'the readiness check `pg_isready -q` failed: /var/run/pg: no response second line',
    ],
    [
      'Readiness probe failed: ',
      { readinessProbe: { exec: { command: ['false'] } } },
      'the readiness check `false` failed without output',
    ],
    [
      'Readiness probe errored and resulted in unknown state: rpc error: code = Unavailable',
      { readinessProbe: { exec: { command: ['ready'] } } },
      'the readiness check `ready` failed: rpc error: code = Unavailable',
    ],
  ])('is named with its port, and how it fails: %s', (message, given, text) => {
    expect(said(message, given)).toBe(`Not ready: ${text}`);
  });

  it('is not one of a container that has started since', () => {
    const refused = 'Readiness probe failed: dial tcp 198.18.64.13:3000: connect: connection refused';
    expect(troubleOf(pod(running(at(5))), [event(2, 'Unhealthy', refused)])).toBeUndefined();
    expect(troubleOf(pod(running(at(5), { ready: true })), [event(9, 'Unhealthy', refused)])).toBeUndefined();
    expect(said('Liveness probe failed: ')).toBeUndefined();
  });

  it('ends a container, which says so and not how the program ended', () => {
    const own = containers({ livenessProbe: { tcpSocket: { port: 3000 } } });
    const killed = [
      event(10, 'Killing', 'Container main failed liveness probe, will be restarted'),
      event(
        10,
        'Unhealthy',
        'Liveness probe failed: dial tcp 198.18.64.13:3000: connect: connection refused',
      ),
    ];
    const check = 'the liveness check of port 3000 failed: connection refused';
    const terminated = { exitCode: 0, reason: 'Completed', startedAt: at(2), finishedAt: at(11) };
    const soon = new Date().toISOString();
    const again = running(soon, { restartCount: 1, lastState: { terminated }, ready: true });
    expect(troubleOf(pod(again, own), killed)?.reason).toBe(`Started again after ${check}`);
    expect(eventNeed(pod(again, own))).toBe('now');
    const crashing = {
      ...waiting('CrashLoopBackOff', 'back-off 10s'),
      restartCount: 3,
      lastState: { terminated },
    };
    expect(troubleOf(pod(crashing, own), killed)).toEqual({
      reason: `CrashLoopBackOff: back-off 10s after ${check}`,
      failure: 'lasting',
    });
    // Clusters leave out events of pods that have many.
    const later = { ...terminated, exitCode: 137, startedAt: at(50), finishedAt: at(59) };
    expect(troubleOf(pod({ ...crashing, lastState: { terminated: later } }, own), killed)?.reason).toContain(
      check,
    );
    const crash = { ...terminated, exitCode: 3, reason: 'Error', startedAt: at(50), finishedAt: at(59) };
    const other = troubleOf(pod({ ...crashing, lastState: { terminated: crash } }, own), killed);
    expect(other?.reason).toBe('CrashLoopBackOff: back-off 10s after Error (exit code 3)');
  });
});

describe('a volume that cannot be mounted', () => {
  const creating = {
    ...pod(waiting('ContainerCreating')),
    status: { ...pod(waiting('ContainerCreating')).status },
  };
  it('is named, also while the cluster only says that it takes long', () => {
    const cause = event(
      1,
      'FailedMount',
      'MountVolume.SetUp failed for volume "v" : secret "absent" not found',
      null,
    );
    const vague = event(
      9,
      'FailedMount',
      'Unable to attach or mount volumes: timed out waiting for the condition',
      null,
    );
    expect(eventNeed(creating)).toBe('later');
    expect(troubleOf(creating, [vague, cause])).toEqual({
      reason:
        'Not started: a volume cannot be mounted: MountVolume.SetUp failed for volume "v" : secret "absent" not found',
      isWaiting: true,
    });
    const attach = event(9, 'FailedAttachVolume', 'Multi-Attach error for volume "pvc-1"', null);
    expect(troubleOf(creating, [attach])?.reason).toBe(
      'Not started: a volume cannot be attached: Multi-Attach error for volume "pvc-1"',
    );
    // It was mounted since.
    expect(troubleOf(creating, [event(10, 'Pulling', 'Pulling image "web:1"'), vague])).toBeUndefined();
  });

  it('is said of an instance that ends without its pause', () => {
    const ending = pod(
      running(at(1), { ready: true }),
      containers({ lifecycle: { preStop: { exec: {} } } }),
      {
        deletionTimestamp: at(3),
      },
    );
    expect(eventNeed(ending)).toBe('now');
    expect(troubleOf(ending, [event(3, 'FailedPreStopHook', 'PreStopHook failed')])?.reason).toContain(
      'FailedPreStopHook',
    );
  });
});

describe('an image that cannot be pulled', () => {
  const refused =
    'failed to authorize: failed to fetch anonymous token: unexpected status from GET request to https://r.test/token: 401 Unauthorized';
  const pulled = (cause: string) =>
    `rpc error: code = Unknown desc = failed to pull and unpack image "r.test/web:1": failed to resolve reference "r.test/web:1": ${cause}`;

  it('keeps its cause between two tries', () => {
    const pausing = pod(waiting('ImagePullBackOff', 'Back-off pulling image "r.test/web:1"'));
    expect(eventNeed(pausing)).toBe('now');
    const events = [
      event(3, 'Failed', 'Error: ImagePullBackOff'),
      event(2, 'Failed', `Failed to pull image "r.test/web:1": ${pulled(refused)}`),
    ];
    expect(troubleOf(pausing, events)).toEqual({
      reason: `ImagePullBackOff: ${refused}`,
      failure: 'lasting',
    });
    expect(troubleOf(pausing)).toEqual({
      reason: 'ImagePullBackOff: Back-off pulling image "r.test/web:1"',
      failure: 'lasting',
    });
    // As clusters since 1.31 say it.
    const newer = `Back-off pulling image "r.test/web:1": ErrImagePull: ${pulled(refused)}`;
    expect(pullCause(newer)).toBe(refused);
  });

  it.each([
    [
      'failed to do request: Head "https://r.test/v2/": dial tcp 10.0.0.7:443: connect: connection refused',
      true,
    ],
    ['failed to do request: Head "https://r.test/v2/": dial tcp 10.0.0.7:443: i/o timeout', true],
    ['failed to do request: Head "https://r.test/v2/": net/http: TLS handshake timeout', true],
    [
      'unexpected status from HEAD request to https://r.test/v2/web/manifests/1: 503 Service Unavailable',
      true,
    ],
    ['unexpected status code https://r.test/v2/web/manifests/404: 500 Internal Server Error', true],
    ['toomanyrequests: You have reached your pull rate limit', true],
    ['429 Too Many Requests - Server message: toomanyrequests: rate limit', true],
    ['dial tcp: lookup r.test on 10.96.0.10:53: server misbehaving', true],
    [refused, false],
    ['unexpected status from HEAD request to https://r.test/v2/web/manifests/503: 403 Forbidden', false],
    ['r.test/timeout:503: not found', false],
    ['unexpected status from HEAD request to https://r.test/v2/x/manifests/1: 404 Not Found', false],
    ['pull access denied, repository does not exist or may require authorization', false],
    [
      'failed to do request: Head "https://timeout.test/v2/": dial tcp: lookup timeout.test: no such host',
      false,
    ],
    [
      'failed to do request: Head "https://r.test/v2/": tls: failed to verify certificate: x509: unknown authority',
      false,
    ],
  ])('may pass or not: %s', (cause, isPassing) => {
    expect(mayPassLater(pullCause(pulled(cause)))).toBe(isPassing);
    const trouble = troubleOf(pod(waiting('ErrImagePull', pulled(cause))));
    expect(trouble?.failure).toBe(isPassing ? 'passing' : 'lasting');
  });

  it('is waited for while its cause may pass, and begins anew when another is seen', () => {
    const rollout = new Rollout();
    const look = (failure: 'passing' | 'lasting', ms: number) =>
      rollout.hasFailed(
        { status: 'abnormal', reason: 'ErrImagePull', failure, isSettled: false },
        30_000,
        ms,
      );
    expect([0, 40_000, 800_000].map((ms) => look('passing', ms))).toEqual([false, false, false]);
    expect([800_001, 801_000].map((ms) => look('lasting', ms))).toEqual([false, false]);
    expect(look('passing', 802_000)).toBe(false);
    expect([803_000, 820_000, 832_000].map((ms) => look('lasting', ms))).toEqual([false, false, false]);
    expect(look('lasting', 833_000)).toBe(true);
  });
});

describe('the status of a component whose instance runs and is not ready', () => {
  const workload = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'web', generation: 1 },
    spec: { replicas: 1, template: { metadata: {}, spec: { containers: tcp } } },
    status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1 },
  } as unknown as KubernetesObject;
  const now = new Date().toISOString();
  const statusOf = (of: KubernetesObject, hasFailed = false) =>
    observed(workload, [of], { hasFailed }).status;

  it('is starting, until the work on it has failed, it takes long, or it was ready before', () => {
    expect(statusOf(pod(running(now)))).toBe('starting');
    expect(statusOf(pod(running(now)), true)).toBe('abnormal');
    expect(statusOf(pod(running(at(1))))).toBe('abnormal');
    const before = pod(running(new Date(Date.now() - 60_000).toISOString()));
    expect(statusOf(before)).toBe('starting');
    before.status.conditions = conditions('False', now);
    expect(statusOf(before)).toBe('abnormal');
  });
});
