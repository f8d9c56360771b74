import { itemOf } from '../../../act/items.tsx';
import { text } from '../../strings.ts';
import { type Volume, volumeFields, volumeOf } from './fields.ts';

const texts = text.volume;

/** Adds a volume to a component. */
export const addVolumeItem = (uid: string, name: string) =>
  itemOf(`add-volume ${uid}`, {
    label: text.addVolume,
    title: texts.addTitle(name),
    intro: texts.addIntro,
    mutation: 'addVolume',
    fields: (values) => volumeFields(values),
    input: (values) => ({ component: { componentId: uid }, ...volumeOf(values) }),
  });

/** The actions of a volume. */
export const volumeItems = ({ id, revision, ...volume }: Volume & { id: string; revision: number }) => [
  itemOf(`edit-volume ${id}`, {
    label: text.edit,
    submit: text.save,
    title: texts.editTitle(volume.name),
    intro: texts.editIntro,
    mutation: 'updateVolume',
    fields: (values) => volumeFields(values, volume),
    input: (values) => ({ volume: { id }, expectedRevision: revision, ...volumeOf(values) }),
  }),
  itemOf(`delete-volume ${id}`, {
    label: text.delete,
    title: texts.deleteTitle(volume.name),
    intro: texts.deleteIntro(volume.name, volume.path),
    mutation: 'deleteVolume',
    target: { volume: { id }, expectedRevision: revision },
  }),
];
