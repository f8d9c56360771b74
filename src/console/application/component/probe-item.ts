import { itemOf } from '../../act/items.tsx';
import type { FragmentOf } from '../../api/graphql.ts';
import type { InputOf } from '../../documents/mutation.ts';
import type { ProbeParts, ProbesOf } from '../../documents/probes.ts';
import type { Field, Values } from '../../form/values.ts';
import { strings } from '../../strings.ts';
import { type CheckKind, checkFields, checkOf, kindOptions } from './check-fields.ts';

const text = strings.probes;

type Input = InputOf<'setProbes'>;
type Probe = FragmentOf<typeof ProbeParts>;
type Name = 'startup' | 'readiness' | 'liveness';

const names: readonly Name[] = ['readiness', 'liveness', 'startup'];

/** The least and the default value of each time. */
const times = {
  periodSeconds: [1, 10, text.fields.period],
  timeoutSeconds: [1, 1, text.fields.timeout],
  failureThreshold: [1, 3, text.fields.failures],
  initialDelaySeconds: [0, 0, text.fields.delay],
} as const;
const timeNames = Object.keys(times) as (keyof typeof times)[];

const kindOf = (probe: Probe | null): CheckKind =>
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
    form: (values) => ({
      first: fieldsOf(values, probes, port),
      also(entered) {
        const which = entered.probe as Name;
        return { [which]: probeOf(entered, probes[which]) };
      },
    }),
    target: input,
  });

function fieldsOf(values: Values, probes: Probed['probes'], port: number | undefined): Field[] {
  const which = (values.probe ?? 'readiness') as Name;
  const probe = probes[which];
  const currentKind = kindOf(probe);
  const kind = (values.kind ?? (currentKind === 'none' ? 'http' : currentKind)) as CheckKind;
  const checkedPort = probe?.http?.port ?? probe?.tcp?.port ?? probe?.grpc?.port ?? port;
  return [
    {
      name: 'probe',
      label: text.fields.probe,
      kind: 'select',
      value: 'readiness',
      options: names.map((value) => ({ value, text: text.explained[value] })),
    },
    {
      name: 'kind',
      label: text.fields.kind,
      kind: 'select',
      value: kind,
      options: kindOptions(['http', 'tcp', 'grpc', 'command', 'none']),
    },
    ...checkFields(kind, { at: which, port: checkedPort, check: probe }),
    ...(kind === 'none' ? [] : timeNames).map((name): Field => {
      const [min, initial, label] = times[name];
      const value = String(probe?.[name] ?? initial);
      return { name, label, path: `${which}.${name}`, kind: 'number', value, min, required: true };
    }),
  ];
}

/** Values without a field in the form are unchanged. */
function probeOf(values: Values, before: Probe | null): Input[Name] {
  const check = checkOf(values.kind as CheckKind, values);
  if (!check) return null;
  const { scheme, headers = [] } = before?.http ?? {};
  const kept = { scheme, headers: headers.map(({ name, value }) => ({ name, value })) };
  return {
    ...check,
    ...(check.http && { http: { ...check.http, ...(before?.http && kept) } }),
    ...Object.fromEntries(timeNames.map((name) => [name, Number(values[name])])),
    ...(before && { successThreshold: before.successThreshold }),
  };
}
