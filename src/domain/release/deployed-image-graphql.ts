import { builder } from '../../graphql/schema/builder.ts';
import { objectType } from '../../graphql/schema/object-type.ts';
import { Component } from '../component/graphql.ts';
import { type DeployedImage, deployedImageOf, hasMoved } from './deployed-image-reads.ts';

const DeployedImageType = objectType<DeployedImage>('DeployedImage', {
  description: 'The image that a component was deployed with last.',
  exposes: {
    'reference: String!': 'The image reference, as it was written.',
    'digest: String':
      'The digest that instances run, of the index for all platforms: `sha256:…`. Null if it is not known: the registry did not tell it, or the region runs no images.',
    'resolvedAt: DateTime':
      'The time at which the registry was asked for the digest of the tag. Null if the digest is not known, or part of the reference.',
  },
  fields: (t) => ({
    hasMoved: t.boolean({
      nullable: true,
      description:
        'Whether the tag leads to another digest by now, so that a deploy would change what runs. The registry is asked only if this field is selected, at most once a minute for an image of a team. Null if the digest is not known, or the registry does not tell it in time.',
      resolve: (image, _, context) => hasMoved(context, image),
    }),
  }),
});

builder.objectField(Component, 'deployedImage', (t) =>
  t.using('id', 'teamId').field({
    type: DeployedImageType,
    nullable: true,
    description:
      'The image that the component was deployed with last, with its digest. Null before the first deploy.',
    resolve: (component, _, context) => deployedImageOf(context, component),
  }),
);
