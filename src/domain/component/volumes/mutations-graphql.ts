import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { property } from '../../../graphql/schema/exposed.ts';
import { inputOf, referenceOf } from '../../../graphql/schema/input.ts';
import { mutation } from '../../../graphql/schema/mutation.ts';
import { Component } from '../graphql.ts';
import { nextDeploy } from '../model.ts';
import { loadComponent } from '../reads.ts';
import { Volume } from './graphql.ts';
import { addVolume, deleteVolume, updateVolume, volumeAddress, volumeRef } from './model.ts';
import * as operations from './operations.ts';

inputOf('VolumeAddress', volumeAddress, 'Identifies a volume by its component and name.');
referenceOf('VolumeRef', volumeRef, 'Identifies a volume. Set exactly one field.');

const withComponent = async (context: Context, volume: Row<'Volume'>) => ({
  volume,
  component: await loadComponent(context, volume.componentId),
});

mutation('addVolume', addVolume, operations.addVolume, {
  description: `Adds a volume to a component. ${nextDeploy}`,
  load: withComponent,
  payload: {
    volume: property(Volume, 'The new volume.'),
    component: property(Component, 'The component.'),
  },
});

mutation('updateVolume', updateVolume, operations.updateVolume, {
  description: `Changes a volume. ${nextDeploy} Idempotent.`,
  load: withComponent,
  payload: {
    volume: property(Volume, 'The updated volume.'),
    component: property(Component, 'The component.'),
  },
});

mutation('deleteVolume', deleteVolume, operations.deleteVolume, {
  description: `Deletes a volume. ${nextDeploy}`,
  load: async (context, { volume, plan }) => ({ ...(await withComponent(context, volume)), plan }),
  payload: {
    volume: property(Volume, 'The deleted volume.'),
    component: property(Component, 'The component that the volume belonged to.'),
  },
});
