import { builder } from '../../graphql/schema/builder.ts';
import { property } from '../../graphql/schema/exposed.ts';
import { enumOf, inputOf } from '../../graphql/schema/input.ts';
import { objectType } from '../../graphql/schema/object-type.ts';
import { seesIn } from '../team/reads.ts';
import { Application } from './graphql.ts';
import {
  type PreviewSettings,
  previewFields,
  previewSecrets,
  previewSeed,
  previewSettings,
  previewSettingsOf,
} from './preview-model.ts';
import { placeOfApplication } from './reads.ts';

const PreviewSecrets = enumOf(
  'PreviewSecrets',
  previewSecrets,
  'Whether previews get the values of secret variables.',
  { copy: 'Previews get the values.', omit: 'Secret variables are left out of previews.' },
);

inputOf('PreviewSettingsInput', previewSettings, 'The settings of the previews of an application.');
inputOf('PreviewSeedInput', previewSeed, 'A command that runs once in each preview.');

const textOf = (field: keyof typeof previewFields) => previewFields[field].description!;

const PreviewSeed = objectType<NonNullable<PreviewSettings['seed']>>('PreviewSeed', {
  description: 'A command that runs once in each preview.',
  exposes: {
    'component: String!': previewSeed.shape.component.description!,
    'command: [String!]!': previewSeed.shape.command.description!,
  },
});

const PreviewSettingsType = objectType<PreviewSettings>('PreviewSettings', {
  description: 'The settings of the previews of an application.',
  exposes: {
    'most: Int!': 'The maximum number of open previews.',
    'lifetimeHours: Int!':
      'The number of hours after which a preview is deleted, unless `openPreview` sets another number.',
    'components: [String!]': 'The names of the components in previews. Null for all components.',
    'usesOriginals: Boolean!': textOf('usesOriginals'),
    secrets: property(PreviewSecrets, 'Whether previews get the values of secret variables.'),
  },
  fields: (t) => ({
    seed: t.field({
      type: PreviewSeed,
      nullable: true,
      description: 'The command that runs once after the first deploy of a preview. Null if not set.',
      resolve: ({ seed }) => seed,
    }),
  }),
});

builder.objectField(Application, 'previewSettings', (t) =>
  t.using('id', 'teamId', 'previews').field({
    type: PreviewSettingsType,
    nullable: true,
    description:
      'The preview settings of the application. Null if it does not allow previews, and for callers who can see only some of the components.',
    resolve: async (application, _, context) =>
      (await seesIn(context, placeOfApplication(application))) ? previewSettingsOf(application) : null,
  }),
);
