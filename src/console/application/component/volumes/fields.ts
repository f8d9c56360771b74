import type { Field, Values } from '../../../form/values.ts';
import { optionsOf } from '../../../ui/controls.tsx';
import { text } from '../../strings.ts';

const { labels, hints } = text;
const other = 'other';

export interface Volume {
  name: string;
  path: string;
  type: string;
  capacityGiB: number | null;
  isShared: boolean;
  fileContent: string;
}

/** The form of a volume. The fields that its type does not have are left out. */
export function volumeForm(values: Values, volume?: Volume) {
  const currentType = volume && !(volume.type in text.volumeTypes) ? other : (volume?.type ?? 'share-file');
  const type = String(values.type ?? currentType);
  const otherType: Field = {
    name: 'otherType',
    path: 'type',
    label: labels.otherType,
    value: currentType === other ? volume!.type : '',
    required: true,
  };
  return {
    first: [
      ...(['name', 'path', 'type'] as const),
      ...(type === other ? [otherType] : []),
      type === 'config-file' ? ('fileContent' as const) : ('capacityGiB' as const),
      ...(['config-file', 'memoryfs'].includes(type) ? [] : ['isShared' as const]),
    ],
    labels,
    hints: { type: hints.type },
    fields: {
      name: { required: true },
      path: { required: true, placeholder: '/data' },
      type: { kind: 'select' as const, value: currentType, options: optionsOf(text.volumeTypes) },
      fileContent: { kind: 'area' as const },
      capacityGiB: { min: 1, placeholder: undefined },
    },
    current: volume,
    also: (entered: Values) => (type === other ? { type: String(entered.otherType) } : {}),
  };
}
