import { inputForm } from '../../../form/input-form.ts';
import { chosenOf, type Field, type Values } from '../../../form/values.ts';
import { optionsOf } from '../../../ui/controls.tsx';
import { protocolText } from '../../../ui/protocol.ts';
import { text } from '../../strings.ts';
import { type CheckKind, checkFields, checkOf, kindOptions } from '../check-fields.ts';
import { componentFields } from '../component-fields.ts';

const { labels, hints } = text;
const protocols = ['HTTP', 'TCP', 'GRPC', 'MYSQL', 'UDP', 'TCP_UDP'] as const;
export type Protocol = (typeof protocols)[number];

/** Inputs with fields of their own, or with a dialog after the component was created. */
const others = /^(?:application|variables|probes\.)/;
const folded = ['replicas', 'cpuMillicores', 'memoryMiB', 'volumes', 'dependencies'];

/** The parts of the form for a new component, by where they are. */
export function newComponentForm(values: Values, components: readonly { id: string; name: string }[]) {
  const form = inputForm('CreateComponentInput', {
    first: ['image', 'name', ...folded],
    more: ['rest'],
    fields: {
      ...componentFields,
      image: { label: labels.image, hint: hints.image, placeholder: 'nginx:1.29' },
      volumes: {
        label: labels.volumes,
        hint: hints.type,
        add: labels.addVolume,
        fields: [
          { name: 'name', label: labels.name, type: 'string', required: true },
          { name: 'path', label: labels.path, type: 'string', placeholder: '/data', required: true },
          {
            name: 'type',
            label: labels.type,
            kind: 'select',
            type: 'string',
            value: 'share-file',
            options: optionsOf(text.volumeTypes).filter(({ value }) => value !== 'other'),
          },
          { name: 'capacityGiB', label: labels.capacityGiB, kind: 'number', type: 'integer', min: 1 },
          { name: 'fileContent', label: labels.fileContent, kind: 'area', type: 'string' },
          { name: 'isShared', label: labels.isShared, kind: 'checkbox', type: 'boolean' },
        ],
      },
      dependencies: {
        label: labels.dependencies,
        kind: 'choices',
        hint: components.length === 0 ? hints.noComponents : undefined,
        options: components.map(({ id, name }) => ({ value: id, text: name })),
      },
    },
  });
  const named = (...names: string[]) => form.fields.filter(({ name }) => names.includes(name));
  return {
    image: named('image'),
    name: named('name'),
    ports: [portsField],
    volumes: named('volumes'),
    resources: named('replicas', 'cpuMillicores', 'memoryMiB'),
    probe: probeFields(values),
    dependencies: named('dependencies'),
    more: form.fields
      .filter(({ name, isMore }) => isMore && !others.test(name) && name !== 'deploy')
      .map((field) => ({ ...field, isMore: false })),
    input: () => {
      // Inputs with fields of their own are not taken from the schema's fields.
      const { deploy: _, dependencies: __, probes: ___, ...input } = form.input(values);
      const ids = chosenOf(values.dependencies);
      const readiness = checkOf(kindIn(values), values, prefix);
      return {
        ...input,
        ...(ids.length > 0 && { dependencies: ids.map((id) => ({ id })) }),
        ...(readiness && { probes: { readiness } }),
      };
    },
  };
}

const portsField: Field = {
  name: 'ports',
  label: labels.ports,
  kind: 'rows',
  add: labels.addPort,
  fields: [
    { name: 'number', label: labels.number, kind: 'number', min: 1, max: 65_535, required: true },
    {
      name: 'protocol',
      label: labels.protocol,
      kind: 'select',
      value: 'HTTP',
      options: protocols.map((value) => ({ value, text: protocolText(value) })),
    },
    { name: 'isInner', label: labels.isInner, kind: 'checkbox', value: true },
  ],
};

/** The ports that were entered. */
export const portsOf = (values: Values) =>
  (Array.isArray(values.ports) ? (values.ports as readonly Values[]) : []).map((row) => ({
    number: Number(row.number),
    protocol: row.protocol as Protocol,
    isInner: row.isInner === true,
  }));

const prefix = 'probe-';
const kindIn = (values: Values) => (values[`${prefix}kind`] ?? 'none') as CheckKind;

/** A readiness check. The others have a dialog of the component. */
function probeFields(values: Values): Field[] {
  const at = 'probes.readiness';
  return [
    {
      name: `${prefix}kind`,
      label: labels.healthKind,
      path: at,
      kind: 'select',
      value: 'none',
      options: kindOptions(['none', 'http', 'tcp', 'grpc', 'command']),
    },
    ...checkFields(kindIn(values), { prefix, at, port: portsOf(values)[0]?.number }),
  ];
}
