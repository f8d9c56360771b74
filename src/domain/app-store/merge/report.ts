import type { ManifestChange } from '../../plan/model.ts';
import type { ComponentWork } from '../../plan/work.ts';
import type { ChangeKind, UpgradeChange } from '../model.ts';

export const line = (
  component: string,
  kind: ChangeKind,
  name: string,
  before: unknown,
  after: unknown,
): UpgradeChange => ({ component, kind, name, before: textOf(before), after: textOf(after) });

const textOf = (value: unknown) => (value === null || value === undefined ? null : String(value));

type Line = [kind: ChangeKind, name: string, before: unknown, after: unknown];

/** The fields of lists, in order, with what their lines add to the name of an item. The first stands for the item. */
const lists = {
  VARIABLE: { value: '', isSecret: ' isSecret' },
  PORT: {
    protocol: ' protocol',
    alias: ' alias',
    isInner: ' isInner',
    serviceName: ' additionalName',
    isOuter: ' isOuter',
  },
} as const;

function linesOf(noun: keyof typeof lists, { action, name, fields }: ManifestChange): Line[] {
  const values = Object.entries(lists[noun]).flatMap(([field, suffix]) => {
    const change = fields.find((each) => each.field === field);
    return change ? [{ ...change, suffix }] : [];
  });
  if (action === 'CREATE') return [[`ADD_${noun}`, name, null, values[0]?.after]];
  if (action === 'DELETE') return [[`REMOVE_${noun}`, name, values[0]?.before, null]];
  return values.map(({ suffix, before, after }) => [`SET_${noun}`, `${name}${suffix}`, before, after]);
}

/** A new volume is named by its path. Of others, the path is shown. */
function volumeLine({ action, name, fields }: ManifestChange): Line {
  const [path, type] = ['path', 'type'].map((field) => fields.find((each) => each.field === field));
  return action === 'CREATE'
    ? ['ADD_VOLUME', path!.after!, null, type!.after]
    : ['SET_VOLUME', name, path?.before, path?.after];
}

/** The changes of a component as the report of an upgrade has them. In the changes, dependencies are named by keys. */
export function reportOf(
  { row, data }: Pick<ComponentWork, 'row' | 'data'>,
  changes: readonly ManifestChange[],
  nameOf: (key: string) => string,
): UpgradeChange[] {
  const { deployState, serviceName, ...columns } = data;
  const set = { ...columns, ...(deployState && { deployState }), ...(serviceName && { serviceName }) };
  const of = (...objects: ManifestChange['object'][]) => {
    const items = changes.filter(({ object }) => objects.includes(object));
    const isRemoval = ({ action }: ManifestChange) => action === 'DELETE';
    return [...items.filter((each) => !isRemoval(each)), ...items.filter(isRemoval)];
  };
  const lines = [
    ...Object.entries(set).map(
      ([field, value]): Line => ['SET', field, row[field as keyof typeof row], value],
    ),
    ...of('VARIABLE', 'CONNECTION_VARIABLE').flatMap((change) => linesOf('VARIABLE', change)),
    ...of('PORT').flatMap((change) => linesOf('PORT', change)),
    ...of('VOLUME').map(volumeLine),
    ...of('DEPENDENCY').map(
      ({ action, name: key }): Line =>
        action === 'CREATE'
          ? ['ADD_DEPENDENCY', nameOf(key), null, key]
          : ['REMOVE_DEPENDENCY', nameOf(key), key, null],
    ),
  ];
  return lines.map((each) => line(row.name, ...each));
}
