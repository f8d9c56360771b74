import { itemOf } from '../../act/items.tsx';
import type { FragmentOf } from '../../api/graphql.ts';
import type { InputOf } from '../../documents/mutation.ts';
import type { ProbeParts, ProbesOf } from '../../documents/probes.ts';
import type { Field, Values } from '../../form/values.ts';
import { strings } from '../../strings.ts';

const text = strings.probes;

type Input = InputOf<'setProbes'>;
type Probe = FragmentOf<typeof ProbeParts>;
type Name = 'startup' | 'readiness' | 'liveness';
type Kind = keyof typeof text.kinds;

const names: readonly Name[] = ['readiness', 'liveness', 'startup'];
const kinds: readonly Kind[] = ['http', 'tcp', 'grpc', 'command', 'none'];
const defaults = { initialDelaySeconds: 0, periodSeconds: 10, timeoutSeconds: 1, failureThreshold: 3 };

const kindOf = (probe: Probe | null): Kind =>
  !probe ? 'none' : probe.http ? 'http' : probe.tcp ? 'tcp' : probe.grpc ? 'grpc' : 'command';

interface Probed {
  name: string;
  input: Omit<Input, Name>;
  probes: FragmentOf<typeof ProbesOf>['probes'];
  /** The port that is checked unless another one is named. */
  port: number | undefined;
}

/** Sets or removes a probe of a component. */
export const probeItem = ({ name, input, probes, port }: Probed) =>
  itemOf(`probes ${name}`, {
    label: text.action,
    title: text.title(name),
    intro: text.intro,
    mutation: 'setProbes',
    plan: 'step',
    fields: (values) => fieldsOf(values, probes, port),
    input: (values) => {
      const which = values.probe as Name;
      return { ...input, [which]: probeOf(values, probes[which]) };
    },
  });

function fieldsOf(values: Values, probes: Probed['probes'], port: number | undefined): Field[] {
  const which = (values.probe ?? 'readiness') as Name;
  const probe = probes[which];
  const currentKind = kindOf(probe);
  const kind = (values.kind ?? (currentKind === 'none' ? 'http' : currentKind)) as Kind;
  const choice = (name: string, label: string, value: string, options: Field['options']): Field => ({
    name,
    label,
    kind: 'select',
    value,
    options,
  });
  const number = (name: string, label: string, value: number | undefined, path = name, min = 1): Field => ({
    name,
    label,
    path: `${which}.${path}`,
    kind: 'number',
    value: value === undefined ? '' : String(value),
    min,
    required: true,
  });
  const checked = probe?.http?.port ?? probe?.tcp?.port ?? probe?.grpc?.port ?? port;
  const checks: Record<Kind, Field[]> = {
    http: [
      number('port', text.fields.port, checked, 'http.port'),
      { name: 'path', label: text.fields.path, path: `${which}.http.path`, value: probe?.http?.path ?? '/' },
    ],
    tcp: [number('port', text.fields.port, checked, 'tcp.port')],
    grpc: [
      number('port', text.fields.port, checked, 'grpc.port'),
      {
        name: 'service',
        label: text.fields.service,
        path: `${which}.grpc.service`,
        value: probe?.grpc?.service ?? '',
      },
    ],
    command: [
      {
        name: 'command',
        label: text.fields.command,
        path: `${which}.command`,
        kind: 'area',
        value: (probe?.command ?? []).join('\n'),
        hint: text.hints.command,
        required: true,
      },
    ],
    none: [],
  };
  const times = { ...defaults, ...probe };
  return [
    choice(
      'probe',
      text.fields.probe,
      'readiness',
      names.map((value) => ({ value, text: text.explained[value] })),
    ),
    choice(
      'kind',
      text.fields.kind,
      kind,
      kinds.map((value) => ({ value, text: text.kinds[value] })),
    ),
    ...checks[kind],
    ...(kind === 'none'
      ? []
      : [
          number('periodSeconds', text.fields.period, times.periodSeconds),
          number('timeoutSeconds', text.fields.timeout, times.timeoutSeconds),
          number('failureThreshold', text.fields.failures, times.failureThreshold),
          number(
            'initialDelaySeconds',
            text.fields.delay,
            times.initialDelaySeconds,
            'initialDelaySeconds',
            0,
          ),
        ]),
  ];
}

/** Values without a field in the form are unchanged. */
function probeOf(values: Values, before: Probe | null): Input[Name] {
  const port = Number(values.port);
  const checks = {
    http: () => ({
      port,
      path: String(values.path),
      ...(before?.http && {
        scheme: before.http.scheme,
        headers: before.http.headers.map(({ name, value }) => ({ name, value })),
      }),
    }),
    tcp: () => ({ port }),
    grpc: () => ({ port, service: String(values.service) || null }),
    command: () => String(values.command).split('\n').filter(Boolean),
  };
  const kind = values.kind as Kind;
  if (kind === 'none') return null;
  return {
    [kind]: checks[kind](),
    periodSeconds: Number(values.periodSeconds),
    timeoutSeconds: Number(values.timeoutSeconds),
    failureThreshold: Number(values.failureThreshold),
    initialDelaySeconds: Number(values.initialDelaySeconds),
    ...(before && { successThreshold: before.successThreshold }),
  };
}
