import type { DesiredComponent } from '../../desired.ts';
import { noProbes, type Probe, type ProbeCheck, shutdownDefaults } from '../../health.ts';
import { transportsOf } from '../objects/transports.ts';

function handlerOf(check: ProbeCheck): object {
  switch (check.kind) {
    case 'http': {
      const { path, port, scheme, headers } = check;
      const httpHeaders = headers.map(({ name, value }) => ({ name, value }));
      return {
        httpGet: { path, port, scheme: scheme.toUpperCase(), ...(httpHeaders.length && { httpHeaders }) },
      };
    }
    case 'tcp':
      return { tcpSocket: { port: check.port } };
    case 'grpc':
      return { grpc: { port: check.port, service: check.service } };
    case 'command':
      return { exec: { command: [...check.command] } };
  }
}

const probeOf = ({ check, ...timing }: Probe) => ({ ...handlerOf(check), ...timing });

/**
 * The ports that requests come to, those with rules first. A container has one readiness probe, which checks the first of
 * them. It cannot check UDP.
 */
function servingPorts({ ports, httpRules, tcpRules }: DesiredComponent): number[] {
  const ruled = new Set([...httpRules, ...tcpRules].map(({ portNumber }) => portNumber));
  const checkable = ports.filter((port) => transportsOf(port).includes('TCP'));
  const serving = [
    ...checkable.filter(({ number }) => ruled.has(number)),
    ...checkable.filter(({ number, isInner }) => isInner && !ruled.has(number)),
  ];
  return serving.map(({ number }) => number);
}

/** Notices within seconds that a program listens, and that it has not done so for ten seconds. */
const portCheck = {
  initialDelaySeconds: 0,
  periodSeconds: 2,
  timeoutSeconds: 2,
  failureThreshold: 5,
  successThreshold: 1,
};

export function probesOf(component: DesiredComponent): object {
  const { startup, liveness, readiness } = component.probes ?? noProbes;
  const [port] = component.checksPorts === false ? [] : servingPorts(component);
  const checked: Probe | null =
    readiness ?? (port === undefined ? null : { check: { kind: 'tcp', port }, ...portCheck });
  return {
    ...(startup && { startupProbe: probeOf(startup) }),
    ...(checked && { readinessProbe: probeOf(checked) }),
    ...(liveness && { livenessProbe: probeOf(liveness) }),
  };
}

/**
 * The pause before an instance gets its termination signal, in which requests that are on their way to it are answered. A
 * component that no requests come to needs none. Clusters before 1.30 can only run a command of the image: where it has no
 * `sleep`, the hook fails, which costs the pause and nothing else.
 */
export function preStopOf(component: DesiredComponent, hasSleep: boolean): object {
  const seconds = component.preStopSeconds ?? shutdownDefaults.preStopSeconds;
  const { ports, httpRules, tcpRules } = component;
  const isServing = ports.some(({ isInner }) => isInner) || httpRules.length > 0 || tcpRules.length > 0;
  if (seconds === 0 || !isServing) return {};
  const preStop = hasSleep ? { sleep: { seconds } } : { exec: { command: ['sleep', String(seconds)] } };
  return { lifecycle: { preStop } };
}

/** The time until an instance is killed, in which the pause is included. */
export const gracePeriodOf = ({ preStopSeconds, terminationGracePeriodSeconds }: DesiredComponent) =>
  Math.max(
    terminationGracePeriodSeconds ?? shutdownDefaults.terminationGracePeriodSeconds,
    (preStopSeconds ?? shutdownDefaults.preStopSeconds) + 1,
  );
