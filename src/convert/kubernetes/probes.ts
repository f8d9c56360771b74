import type { FoundComponent, FoundProbe, KubernetesObject, TellOf } from './model.ts';

type Part = KubernetesObject['spec'];

/** The number of a port that a probe names or has as a text. */
function numberOf(port: unknown, container: Part): number | undefined {
  const named = container.ports?.find(({ name }: Part) => name === port)?.containerPort;
  const number = Number(named ?? port);
  return Number.isInteger(number) && number >= 1 && number <= 65_535 ? number : undefined;
}

/** What a probe checks. Undefined if no probe of a component can. */
function checkOf({ httpGet, tcpSocket, grpc, exec }: Part, container: Part): Partial<FoundProbe> | undefined {
  if (exec) return exec.command?.length > 0 ? { command: exec.command.map(String) } : undefined;
  const port = numberOf((httpGet ?? tcpSocket ?? grpc)?.port, container);
  if (port === undefined) return undefined;
  if ((httpGet ?? tcpSocket)?.host) return undefined;
  if (tcpSocket) return { tcp: { port } };
  if (grpc) return { grpc: { port, ...(grpc.service && { service: grpc.service }) } };
  const { path = '/', scheme = 'HTTP', httpHeaders = [] } = httpGet;
  const headers = httpHeaders.map(({ name, value }: Part) => ({ name, value: String(value ?? '') }));
  return {
    http: {
      ...{ port, path: path.startsWith('/') ? path : `/${path}` },
      ...(scheme === 'HTTPS' && { scheme: 'https' }),
      ...(headers.length > 0 && { headers }),
    },
  };
}

const timings = [
  'initialDelaySeconds',
  'periodSeconds',
  'timeoutSeconds',
  'failureThreshold',
  'successThreshold',
] as const;

/** The probes of a container. */
export function probesOf(container: Part, tell: TellOf): FoundComponent['probes'] {
  const probes: FoundComponent['probes'] = {};
  for (const kind of ['startup', 'readiness', 'liveness'] as const) {
    const probe = container[`${kind}Probe`];
    if (!probe) continue;
    const check = checkOf(probe, container);
    // A cluster takes 0 for a value that is left out.
    const timing = Object.fromEntries(timings.flatMap((name) => (probe[name] ? [[name, probe[name]]] : [])));
    if (check) probes[kind] = { ...check, ...timing };
    else tell(`the ${kind} probe, which checks something else than a port or a command of the container`);
  }
  return probes;
}
