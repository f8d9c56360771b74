import { z } from 'zod';
import { boundedString, headerName, prose, text } from '../../kernel/validate.ts';
import type { Probe, ProbeCheck, Probes } from './health.ts';

/** The limits of a probe, so that those of a component stay small. */
const probeLimits = { headers: 20, headersLength: 4096, words: 64, commandLength: 4096 } as const;

/** The values of a probe that leaves them out, which are those of Kubernetes. */
export const probeDefaults = {
  initialDelaySeconds: 0,
  periodSeconds: 10,
  timeoutSeconds: 1,
  failureThreshold: 3,
  successThreshold: 1,
} as const;

const port = z.int32().min(1).max(65_535).describe('The port number, from 1 to 65535.');

export const probeHeader = z.strictObject({
  name: headerName().min(1).describe('The name of the header.'),
  value: text(2048).describe('The value of the header.'),
});

export const probeScheme = z.enum(['http', 'https']);

const length = (texts: readonly string[]) => texts.reduce((sum, each) => sum + each.length, 0);

export const httpCheck = z.strictObject({
  port,
  path: boundedString(1024)
    .regex(
      /^\/[\x21-\x7e]*$/,
      'Must start with `/` and contain only printable ASCII characters without spaces',
    )
    .nullish()
    .describe('The path, which can have a query. Defaults to `/`.'),
  scheme: probeScheme.nullish().describe('The scheme. Defaults to HTTP. Certificates are not verified.'),
  headers: z
    .array(probeHeader)
    .max(probeLimits.headers)
    .refine(
      (headers) => length(headers.flatMap(({ name, value }) => [name, value])) <= probeLimits.headersLength,
      `Must have at most ${probeLimits.headersLength} characters in all headers together`,
    )
    .nullish()
    .describe('Headers of the request.'),
});

export const tcpCheck = z.strictObject({ port });

export const grpcCheck = z.strictObject({
  port,
  service: text(255)
    .nullish()
    .describe('The service to ask for. Defaults to the empty string, which is the server as a whole.'),
});

const probeCommand = z
  .array(prose(probeLimits.commandLength))
  .min(1)
  .max(probeLimits.words)
  .refine(([program]) => program !== '', 'Must begin with a program')
  .refine(
    (words) => length(words) <= probeLimits.commandLength,
    `Must have at most ${probeLimits.commandLength} characters in all words together`,
  );

const seconds = (min: number) => z.int32().min(min).max(86_400).nullish();
const threshold = z.int32().min(1).max(1_000).nullish();

const checks = ['http', 'tcp', 'grpc', 'command'] as const;

const fields = {
  http: httpCheck.nullish().describe('Checks with an HTTP request. A status from 200 to 399 is a success.'),
  tcp: tcpCheck.nullish().describe('Checks that a TCP connection can be opened.'),
  grpc: grpcCheck.nullish().describe('Checks with the gRPC health checking protocol.'),
  command: probeCommand
    .nullish()
    .describe('Checks with a program and its arguments in the instance. The exit code 0 is a success.'),
  initialDelaySeconds: seconds(0).describe(
    'The time from the start of an instance to the first check, in seconds. Defaults to 0.',
  ),
  periodSeconds: seconds(1).describe('The time between checks, in seconds. Defaults to 10.'),
  timeoutSeconds: seconds(1).describe('The time limit of a check, in seconds. Defaults to 1.'),
  failureThreshold: threshold.describe(
    'The number of consecutive failed checks after which the probe fails. Defaults to 3.',
  ),
  successThreshold: threshold.describe(
    'The number of consecutive successful checks after a failure for the probe to succeed. Defaults to 1, which is the only value for startup and liveness probes.',
  ),
};

/** A probe has one check. */
export const requireOneCheck = (
  input: { [check in (typeof checks)[number]]?: unknown },
  ctx: z.RefinementCtx,
) => {
  const used = checks.filter((check) => input[check] != null);
  if (used.length !== 1) {
    const message = 'Must have exactly one of `http`, `tcp`, `grpc` and `command`';
    ctx.addIssue({ code: 'custom', path: used[1] ? [used[1]] : [], message });
  }
};

/** A probe, as callers give it. */
export const probe = z.strictObject(fields).superRefine(requireOneCheck);
export type ProbeInput = z.output<typeof probe>;

const requireSingle =
  (name: 'startup' | 'liveness') =>
  (input: { [name in 'startup' | 'liveness']?: ProbeInput | null | undefined }, ctx: z.RefinementCtx) => {
    if ((input[name]?.successThreshold ?? 1) === 1) return;
    ctx.addIssue({
      code: 'custom',
      path: [name, 'successThreshold'],
      message: 'Must be 1 for startup and liveness probes',
    });
  };

export const probeKinds = ['startup', 'readiness', 'liveness'] as const;
export type ProbeKind = (typeof probeKinds)[number];

export const probeFields = {
  startup: probe
    .nullish()
    .describe(
      'The startup probe. Until it succeeds, the other probes do not run. An instance that fails it is restarted.',
    ),
  readiness: probe
    .nullish()
    .describe(
      'The readiness probe. An instance receives requests, and counts as running, while it succeeds.',
    ),
  liveness: probe.nullish().describe('The liveness probe. An instance that fails it is restarted.'),
};

/** Adds the rules between the fields of probes to an object that has them. */
export const withProbeRules = <S extends z.ZodObject<typeof probeFields>>(schema: S): S =>
  schema.superRefine(requireSingle('startup') as never).superRefine(requireSingle('liveness') as never) as S;

export const probes = withProbeRules(z.strictObject(probeFields));

function checkOf({ http, tcp, grpc, command }: ProbeInput): ProbeCheck {
  if (http) {
    return {
      kind: 'http',
      path: http.path ?? '/',
      port: http.port,
      scheme: http.scheme ?? 'http',
      headers: (http.headers ?? []).map(({ name, value }) => ({ name, value })),
    };
  }
  if (tcp) return { kind: 'tcp', port: tcp.port };
  if (grpc) return { kind: 'grpc', port: grpc.port, service: grpc.service ?? '' };
  return { kind: 'command', command: command! };
}

/** A probe with all values. Equal probes have the same JSON text. */
export const probeOf = (input: ProbeInput): Probe => ({
  check: checkOf(input),
  initialDelaySeconds: input.initialDelaySeconds ?? probeDefaults.initialDelaySeconds,
  periodSeconds: input.periodSeconds ?? probeDefaults.periodSeconds,
  timeoutSeconds: input.timeoutSeconds ?? probeDefaults.timeoutSeconds,
  failureThreshold: input.failureThreshold ?? probeDefaults.failureThreshold,
  successThreshold: input.successThreshold ?? probeDefaults.successThreshold,
});

export const probesOf = (
  input: { [kind in ProbeKind]?: ProbeInput | null | undefined } | null | undefined,
): Probes => ({
  startup: input?.startup ? probeOf(input.startup) : null,
  readiness: input?.readiness ? probeOf(input.readiness) : null,
  liveness: input?.liveness ? probeOf(input.liveness) : null,
});
