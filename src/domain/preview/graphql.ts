import { property, propertyOrNull } from '../../graphql/schema/exposed.ts';
import { enumOf, referenceOf } from '../../graphql/schema/input.ts';
import { addList } from '../../graphql/schema/list.ts';
import { lookup } from '../../graphql/schema/lookup.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { objectType } from '../../graphql/schema/object-type.ts';
import { related, relatedOrNull } from '../../graphql/schema/related.ts';
import { QuotaExceededError } from '../../kernel/errors.ts';
import { Application } from '../application/graphql.ts';
import { OmissionType } from '../copy/graphql.ts';
import { jobResult } from '../job/graphql.ts';
import { closePreview } from './close-operations.ts';
import * as model from './model.ts';
import { openPreview } from './open-operations.ts';
import { imagesOf, previewsOf, requirePreview, stateOf, urlsOf, visiblePreview } from './reads.ts';

referenceOf('PreviewRef', model.previewRef, 'Identifies a preview. Set exactly one field.');

const PreviewStateEnum = enumOf(
  'PreviewState',
  model.previewState,
  'What a preview is doing.',
  model.previewStates,
);

const PreviewImage = objectType<{ component: string; image: string; isChanged: boolean }>('PreviewImage', {
  description: 'The image of a component of a preview.',
  exposes: {
    'component: String!': 'The name of the component.',
    'image: String!': 'The image that it is set to run.',
    'isChanged: Boolean!':
      'Whether the component of this name in the application has another image, or none has this name.',
  },
});

const Preview = entity('Preview', 'Preview', {
  description:
    'A copy of an application that is opened under a key, by a pipeline for a pull request for example, and that is deleted when it expires.',
  read: visiblePreview,
  revision: 'Changes of its application are not counted.',
  uid: 'The id of the preview. Use it as `previewId` in references.',
  exposes: {
    'key: String!': 'What who opened it calls it. Unique in the application of which it is a copy.',
    'expiresAt: DateTime!': 'When it is deleted.',
    'createdAt: DateTime!': 'When it was opened.',
    'updatedAt: DateTime!': 'When `openPreview` was last called for it.',
  },
  fields: (t) => ({
    application: relatedOrNull(
      t,
      'copyId',
      Application,
      'The application that is the preview. Null if the caller may not see it, and while the preview is being deleted.',
    ),
    original: related(t, 'applicationId', Application, 'The application of which it is a copy.'),
    urls: t.using('copyId').stringList({
      description: 'The addresses at which it is reached from outside, by the names of the components.',
      resolve: (preview, _, context) => urlsOf(context, preview),
    }),
    images: t.using('copyId', 'applicationId').field({
      type: [PreviewImage],
      description: 'The images of its components, by name.',
      resolve: (preview, _, context) => imagesOf(context, preview),
    }),
    state: t.using('copyId', 'jobId', 'seed', 'seedRunId', 'problem').field({
      type: PreviewStateEnum,
      description: 'What it is doing.',
      resolve: async (preview, _, context) => (await stateOf(context, preview)).state,
    }),
    reason: t.using('copyId', 'jobId', 'seed', 'seedRunId', 'problem').string({
      nullable: true,
      description: 'Why it failed, or could not be deleted so far. Null if there is nothing to say.',
      resolve: async (preview, _, context) => (await stateOf(context, preview)).reason,
    }),
  }),
});

lookup('preview', Preview, { ref: model.previewRef, read: requirePreview });

addList(Application, 'previews', Preview, {
  description: 'The previews of the application, oldest first, those that are being deleted included.',
  using: ['id', 'teamId'],
  list: (application, _, context) => previewsOf(context, application),
});

mutation('openPreview', model.openPreview, openPreview, {
  description:
    'Creates a preview of an application: a copy with the given images and variables, which is deployed immediately and deleted when it expires. If a preview with the key exists, updates its images, variables and expiry, so the call can be repeated. Fails with CONFLICT if the application does not allow previews or has reached its limit, and with QUOTA_EXCEEDED if the quota of the team is too small.',
  operation: { selection: { omitted: 'kind component name reason' } },
  errors: [QuotaExceededError],
  payload: {
    preview: propertyOrNull(Preview, 'The preview. Null for a dry run of a new one.'),
    job: jobResult,
    omitted: property(
      [OmissionType],
      'What a new preview leaves out of the application, besides data and history.',
    ),
  },
});

mutation('closePreview', model.closePreview, closePreview, {
  description:
    'Deletes a preview with the data of its volumes. One that is being deleted already stays as it is.',
  payload: {
    preview: property(Preview, 'The preview.'),
    job: jobResult,
  },
});
