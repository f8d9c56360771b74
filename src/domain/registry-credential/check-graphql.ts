import type { FoundImage, ImagePlatform } from '../../drivers/registry/driver.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { nullOnError } from '../../graphql/schema/null-on-error.ts';
import { objectType } from '../../graphql/schema/object-type.ts';
import { validatedBy } from '../../graphql/schema/validation.ts';
import { TeamRef } from '../team/graphql.ts';
import { teamRef } from '../team/model.ts';
import { checkImage, type ImageCheck } from './check-reads.ts';
import { imageReference } from './model.ts';

const Platform = objectType<ImagePlatform>('ImagePlatform', {
  description: 'A platform that an image runs on.',
  exposes: {
    'os: String!': 'The operating system, for example `linux`.',
    'architecture: String!': 'The architecture of the processor, for example `amd64`.',
    'variant: String': 'The variant of the architecture, for example `v8`.',
  },
});

const ExposedPort = objectType<FoundImage['exposedPorts'][number]>('ImagePort', {
  description: 'A port that an image exposes.',
  exposes: {
    'number: Int!': 'The port number.',
    'protocol: String!': 'The protocol: `tcp`, `udp` or `sctp`.',
  },
});

const ImageCheckType = objectType<ImageCheck>('ImageCheck', {
  description: 'The result of looking up an image in its registry.',
  exposes: {
    'image: String!': 'The image reference in full, with the host of its registry.',
    'usesCredential: Boolean!': 'Whether the team, or the enterprise, has a credential for the registry.',
  },
  fields: (t) => ({
    exists: t.boolean({
      description: 'Whether the registry has the image.',
      resolve: ({ found }) => found !== null,
    }),
    digest: t.string({
      nullable: true,
      description: 'The digest of the manifest or index: `sha256:…`. Null if the image does not exist.',
      resolve: ({ found }) => found?.digest ?? null,
    }),
    platforms: t.field({
      type: [Platform],
      description: 'The platforms that the image is available for.',
      resolve: ({ found }) => found?.platforms ?? [],
    }),
    exposedPorts: t.field({
      type: [ExposedPort],
      description: 'The ports that the image exposes on its first platform, sorted by number.',
      resolve: ({ found }) => found?.exposedPorts ?? [],
    }),
  }),
});

builder.queryField('checkImage', (t) =>
  t.field({
    type: ImageCheckType,
    ...nullOnError,
    description:
      'Asks the registry of an image whether it has the image, with the registry credential that a component of the team would use. Fails with REGISTRY_REFUSED if the registry rejects the request, for example a wrong password, and with REGISTRY_UNAVAILABLE if it does not respond. Requires the `developer` role in the team.',
    args: {
      team: t.arg({
        type: TeamRef,
        required: true,
        description: 'The team whose registry credentials are used.',
        validate: validatedBy(teamRef),
      }),
      image: t.arg.string({
        required: true,
        description: 'The image reference, for example `nginx:1.29` or `registry.example:5000/shop/web:1.0`.',
        validate: validatedBy(imageReference),
      }),
    },
    resolve: (_, { team, image }, context) => checkImage(context, team, image),
  }),
);
