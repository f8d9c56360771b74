import { itemOf } from '../../../act/items.tsx';
import { text } from '../../strings.ts';
import { type Volume, volumeForm } from './fields.ts';

const texts = text.volume;

export const addVolumeItem = (uid: string, name: string) =>
  itemOf(`add-volume ${uid}`, {
    label: text.addVolume,
    title: texts.addTitle(name),
    intro: texts.addIntro,
    mutation: 'addVolume',
    form: (values) => volumeForm(values),
    target: { component: { componentId: uid } },
  });

export const volumeItems = ({ id, revision, ...volume }: Volume & { id: string; revision: number }) => [
  itemOf(`edit-volume ${id}`, {
    label: text.edit,
    submit: text.save,
    title: texts.editTitle(volume.name),
    intro: texts.editIntro,
    mutation: 'updateVolume',
    form: (values) => volumeForm(values, volume),
    target: { volume: { id }, expectedRevision: revision },
  }),
  itemOf(`delete-volume ${id}`, {
    label: text.delete,
    title: texts.deleteTitle(volume.name),
    intro: texts.deleteIntro(volume.name, volume.path),
    mutation: 'deleteVolume',
    target: { volume: { id }, expectedRevision: revision },
  }),
];
