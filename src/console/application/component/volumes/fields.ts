import type { Field, Values } from '../../../form/values.ts';
import { optionsOf } from '../../../ui/controls.tsx';
import { text } from '../../strings.ts';

const { labels, hints } = text;
const types = optionsOf(text.volumeTypes);
const other = 'other';

export interface Volume {
  name: string;
  path: string;
  type: string;
  capacityGiB: number | null;
  fileContent: string;
}

/** The fields of a volume. Those that its type does not have are left out. */
export function volumeFields(values: Values, volume?: Volume): Field[] {
  const currentType = volume && !(volume.type in text.volumeTypes) ? other : volume?.type;
  const type = String(values.type ?? currentType ?? 'share-file');
  return [
    { name: 'name', label: labels.name, value: volume?.name ?? '', required: true },
    { name: 'path', label: labels.path, value: volume?.path ?? '', placeholder: '/data', required: true },
    {
      name: 'type',
      label: labels.type,
      kind: 'select',
      value: currentType ?? 'share-file',
      options: types,
      hint: hints.type,
    },
    ...(type === other
      ? [
          {
            name: 'otherType',
            path: 'type',
            label: labels.otherType,
            value: currentType === other ? volume!.type : '',
            required: true,
          },
        ]
      : []),
    ...(type === 'config-file'
      ? [
          {
            name: 'fileContent',
            label: labels.fileContent,
            kind: 'area' as const,
            value: volume?.fileContent ?? '',
          },
        ]
      : [
          {
            name: 'capacityGiB',
            label: labels.capacityGiB,
            kind: 'number' as const,
            value: volume?.capacityGiB == null ? '' : String(volume.capacityGiB),
            min: 1,
          },
        ]),
  ];
}

/** The input for what was entered. */
export function volumeOf(values: Values) {
  const type = String(values.type);
  const capacity = String(values.capacityGiB ?? '');
  return {
    name: String(values.name),
    path: String(values.path),
    type: type === other ? String(values.otherType) : type,
    ...(type === 'config-file'
      ? { fileContent: String(values.fileContent ?? '') }
      : { capacityGiB: capacity === '' ? null : Number(capacity) }),
  };
}
