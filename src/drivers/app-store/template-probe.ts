import { z } from 'zod';
import { quotedWords, wordsOf } from '../../formats/command-words.ts';
import { noProbes, type Probes } from '../region/health.ts';
import { type ProbeKind, probeKinds, probesOf, probes as probesSchema } from '../region/probe-model.ts';

/** The fields of a probe in a template. Each is read on its own, because a wrong probe does not refuse the template. */
export const templateProbe = z.object({
  mode: z.unknown(),
  scheme: z.unknown(),
  path: z.unknown(),
  port: z.unknown(),
  cmd: z.unknown(),
  http_header: z.unknown(),
  initial_delay_second: z.unknown(),
  period_second: z.unknown(),
  timeout_second: z.unknown(),
  failure_threshold: z.unknown(),
  success_threshold: z.unknown(),
  is_used: z.unknown(),
  // Not part of the protocol: what the probes of a published application have beyond it.
  headers: z.unknown(),
  command: z.unknown(),
  service: z.unknown(),
});
type Stored = { readonly [field in keyof z.output<typeof templateProbe>]?: unknown };

const timing = {
  initialDelaySeconds: 'initial_delay_second',
  periodSeconds: 'period_second',
  timeoutSeconds: 'timeout_second',
  failureThreshold: 'failure_threshold',
  successThreshold: 'success_threshold',
} as const satisfies { [field: string]: keyof Stored };

/** A part of a list of probes that is left out. */
interface OmittedProbe {
  /** The path below the list. */
  path: string;
  reason: string;
}

/** `a=b,c=d` as headers. */
const headersOf = (joined: unknown) =>
  typeof joined === 'string' && joined.trim() !== ''
    ? joined.split(',').map((pair) => {
        const [name, ...value] = pair.trim().split('=');
        return { name: name!, value: value.join('=') };
      })
    : [];

const blank = (value: unknown) => value === undefined || value === null || value === '';

function checkOf(stored: Stored): object {
  const { scheme, port, path, cmd, command, service } = stored;
  switch (scheme) {
    case 'http':
    case 'https': {
      const target = blank(path) ? '/' : path;
      const rooted = typeof target === 'string' && !target.startsWith('/') ? `/${target}` : target;
      return {
        http: { port, path: rooted, scheme, headers: stored.headers ?? headersOf(stored.http_header) },
      };
    }
    case 'grpc':
      return { grpc: { port, service: service ?? '' } };
    case 'cmd':
      return { command: command ?? (typeof cmd === 'string' ? wordsOf(cmd.slice(0, 65_536)) : cmd) };
    default:
      return { tcp: { port } };
  }
}

const schemes = ['tcp', 'http', 'https', 'grpc', 'cmd'];

/** The most probes of a component that are read. */
const maxProbes = 20;

/** The probes of a component, and what is left out of them. Probes that Kubernetes would refuse are left out. */
export function readProbes(value: unknown): { probes: Probes; omitted: OmittedProbe[] } {
  const omitted: OmittedProbe[] = [];
  let probes = noProbes;
  if (blank(value)) return { probes, omitted };
  if (!Array.isArray(value)) return { probes, omitted: [{ path: '', reason: 'Must be a list.' }] };
  for (const [index, stored] of value.slice(0, maxProbes).entries()) {
    const omit = (reason: string, field?: string) =>
      omitted.push({ path: `[${index}]${field ? `.${field}` : ''}`, reason });
    if (typeof stored !== 'object' || stored === null) omit('Must be an object.');
    else probes = withProbe(probes, stored as Stored, omit);
  }
  if (value.length > maxProbes)
    omitted.push({ path: '', reason: `Only the first ${maxProbes} probes are read.` });
  return { probes, omitted };
}

function withProbe(probes: Probes, stored: Stored, omit: (reason: string, field?: string) => void): Probes {
  const kind = stored.mode as ProbeKind;
  if (stored.is_used === false) omit('The template does not use this probe.');
  else if (!probeKinds.includes(kind)) omit(`The mode must be ${probeKinds.join(' or ')}.`, 'mode');
  else if (probes[kind]) omit(`The component has another ${kind} probe.`);
  else if (!schemes.includes(stored.scheme as string))
    omit(`The scheme must be ${schemes.join(' or ')}.`, 'scheme');
  else {
    const probe: { [field: string]: unknown } = { ...checkOf(stored) };
    for (const [field, key] of Object.entries(timing)) {
      const trial = { [kind]: { tcp: { port: 1 }, [field]: stored[key] } };
      const { error } = probesSchema.safeParse(trial);
      // 0 is how some stores write the default.
      if (!error) probe[field] = stored[key];
      else if (stored[key] !== 0) omit(`The default is used: ${error.issues[0]!.message}.`, key);
    }
    const { data, error } = probesSchema.safeParse({ [kind]: probe });
    if (data) return { ...probes, [kind]: probesOf(data)[kind] };
    const { path, message } = error.issues[0]!;
    omit(`The probe is not valid: ${path.slice(1).join('.')}: ${message}.`);
  }
  return probes;
}

/** Probes in the form of the store protocol. */
export const storedProbesOf = (probes: Probes): Stored[] =>
  probeKinds.flatMap((kind): Stored[] => {
    const probe = probes[kind];
    if (!probe) return [];
    const { check } = probe;
    return [
      {
        mode: kind,
        scheme: check.kind === 'http' ? check.scheme : check.kind === 'command' ? 'cmd' : check.kind,
        port: check.kind === 'command' ? 0 : check.port,
        path: check.kind === 'http' ? check.path : '',
        http_header:
          check.kind === 'http' ? check.headers.map(({ name, value }) => `${name}=${value}`).join(',') : '',
        cmd: check.kind === 'command' ? quotedWords(check.command) : '',
        ...(check.kind === 'http' && check.headers.length > 0 && { headers: check.headers }),
        ...(check.kind === 'command' && { command: check.command }),
        ...(check.kind === 'grpc' && { service: check.service }),
        ...Object.fromEntries(
          (Object.keys(timing) as (keyof typeof timing)[]).map((field) => [timing[field], probe[field]]),
        ),
        is_used: true,
      },
    ];
  });
