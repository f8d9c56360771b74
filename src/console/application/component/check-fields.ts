import type { Field, Values } from '../../form/values.ts';
import { strings } from '../../strings.ts';

const { kinds, fields: labels, hints } = strings.probes;

export type CheckKind = keyof typeof kinds;

export const kindOptions = (order: readonly CheckKind[]) =>
  order.map((value) => ({ value, text: kinds[value] }));

interface Shown {
  /** Before the names of the fields, which are `kind`, `port` and so on. */
  prefix?: string;
  /** The path of the probe in the input. */
  at: string;
  port: number | undefined;
  /** The values at first. */
  check?: {
    http: { path: string } | null;
    grpc: { service: string | null } | null;
    command: readonly string[] | null;
  } | null;
}

export function checkFields(kind: CheckKind, { prefix = '', at, port, check }: Shown): Field[] {
  const portField: Field = {
    name: `${prefix}port`,
    label: labels.port,
    path: `${at}.${kind}.port`,
    kind: 'number',
    value: port === undefined ? '' : String(port),
    min: 1,
    max: 65_535,
    required: true,
  };
  const textField = (name: 'path' | 'service', value: string): Field => ({
    name: prefix + name,
    label: labels[name],
    path: `${at}.${kind}.${name}`,
    value,
  });
  const byKind: Record<CheckKind, () => Field[]> = {
    http: () => [portField, textField('path', check?.http?.path ?? '/')],
    tcp: () => [portField],
    grpc: () => [portField, textField('service', check?.grpc?.service ?? '')],
    command: () => [
      {
        name: `${prefix}command`,
        label: labels.command,
        path: `${at}.command`,
        kind: 'area',
        value: (check?.command ?? []).join('\n'),
        hint: hints.command,
        required: true,
      },
    ],
    none: () => [],
  };
  return byKind[kind]();
}

/** The check that was entered. Undefined for none. */
export function checkOf(kind: CheckKind, values: Values, prefix = '') {
  const entered = (name: string) => String(values[prefix + name] ?? '');
  const port = Number(entered('port'));
  switch (kind) {
    case 'http':
      return { http: { port, path: entered('path') } };
    case 'tcp':
      return { tcp: { port } };
    case 'grpc':
      return { grpc: { port, service: entered('service') || null } };
    case 'command':
      return { command: entered('command').split('\n').filter(Boolean) };
    default:
      return undefined;
  }
}
