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
  'The state of a preview.',
  model.previewStates,
);

const PreviewImage = objectType<{ component: string; image: string; isChanged: boolean }>('PreviewImage', {
  description: 'The image of a component of a preview.',
  exposes: {
    'component: String!': 'The name of the component.',
    'image: String!': 'The image of the component.',
    'isChanged: Boolean!':
      'Whether the image differs from that of the component of this name in the original application, or the original has no such component.',
  },
});

const Preview = entity('Preview', 'Preview', {
  description:
    'A temporary copy of an application, identified by a key, for example for a pull request. It is deleted when it expires.',
  read: visiblePreview,
  revision: 'Changes of its application are not counted.',
  uid: 'The id of the preview. Use it as `previewId` in references.',
  exposes: {
    'key: String!': 'The key, chosen when the preview was opened. Unique in the original application.',
    'expiresAt: DateTime!': 'The time at which the preview is deleted.',
    'createdAt: DateTime!': 'The time at which the preview was opened.',
    'updatedAt: DateTime!': 'The time of the last call of `openPreview` for the preview.',
  },
  fields: (t) => ({
    application: relatedOrNull(
      t,
      'copyId',
      Application,
      'The copy of the application that the preview runs. Null if it is not visible to the caller, and while the preview is being deleted.',
    ),
    original: related(t, 'applicationId', Application, 'The original application.'),
    urls: t.using('copyId').stringList({
      description: 'The public addresses of the preview, sorted by component name.',
      resolve: (preview, _, context) => urlsOf(context, preview),
    }),
    images: t.using('copyId', 'applicationId').field({
      type: [PreviewImage],
      description: 'The images of its components, sorted by name.',
      resolve: (preview, _, context) => imagesOf(context, preview),
    }),
    state: t.using('copyId', 'jobId', 'seed', 'seedRunId', 'problem').field({
      type: PreviewStateEnum,
      description: 'The state of the preview.',
      resolve: async (preview, _, context) => (await stateOf(context, preview)).state,
    }),
    reason: t.using('copyId', 'jobId', 'seed', 'seedRunId', 'problem').string({
      nullable: true,
      description: 'Why the preview failed, or could not be deleted yet. Null if neither applies.',
      resolve: async (preview, _, context) => (await stateOf(context, preview)).reason,
    }),
  }),
});

lookup('preview', Preview, { ref: model.previewRef, read: requirePreview });

addList(Application, 'previews', Preview, {
  description: 'The previews of the application, oldest first. Includes previews that are being deleted.',
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
      'The parts of the application that a new preview leaves out, besides data and history.',
    ),
  },
});

mutation('closePreview', model.closePreview, closePreview, {
  description:
    'Deletes a preview with the data of its volumes. A preview that is already being deleted is unchanged.',
  payload: {
    preview: property(Preview, 'The preview.'),
    job: jobResult,
  },
});
