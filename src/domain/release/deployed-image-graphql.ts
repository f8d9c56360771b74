import { builder } from '../../graphql/schema/builder.ts';
import { objectType } from '../../graphql/schema/object-type.ts';
import { Component } from '../component/graphql.ts';
import { type DeployedImage, deployedImageOf, hasMoved } from './deployed-image-reads.ts';

const DeployedImageType = objectType<DeployedImage>('DeployedImage', {
  description: 'The image of the last deploy of a component.',
  exposes: {
    'reference: String!': 'The image reference, as written in the component.',
    'digest: String':
      'The digest of the image that instances run, of the index for all platforms: `sha256:…`. Null if unknown: the registry did not return it, or the region does not run images.',
    'resolvedAt: DateTime':
      'The time at which the registry was asked for the digest of the tag. Null if the digest is unknown or part of the reference.',
  },
  fields: (t) => ({
    hasMoved: t.boolean({
      nullable: true,
      description:
        'Whether the tag now points to another digest, so that a deploy would run another image. The registry is asked only if this field is selected, at most once a minute for each image of a team. Null if the digest is unknown, or the registry does not return it in time.',
      resolve: (image, _, context) => hasMoved(context, image),
    }),
  }),
});

builder.objectField(Component, 'deployedImage', (t) =>
  t.using('id', 'teamId').field({
    type: DeployedImageType,
    nullable: true,
    description: 'The image of the last deploy, with its digest. Null before the first deploy.',
    resolve: (component, _, context) => deployedImageOf(context, component),
  }),
);
