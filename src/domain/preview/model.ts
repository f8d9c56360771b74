import { z } from 'zod';
import { shortHash } from '../../drivers/region/object-names.ts';
import { identifier, reference } from '../../kernel/reference.ts';
import { displayName, dryRunField, plannedChange } from '../../kernel/validate.ts';
import { applicationRef } from '../application/model.ts';
import { lifetimeField } from '../application/preview-model.ts';
import { copiedImages, copiedVariables } from '../copy/model.ts';

export const previewRef = reference('preview', {
  previewId: identifier('The `uid` of the preview.'),
});

const key = displayName(40);
const keyText =
  'The key: what the caller calls the preview, such as `pr-42`. It is unique in the application.';

export const openPreview = z.strictObject({
  application: applicationRef.describe('The application. Its settings must allow previews.'),
  key: key.describe(keyText),
  images: copiedImages
    .nullish()
    .describe(
      'The images to run. Other components run those of the application, or keep those of the preview.',
    ),
  variables: copiedVariables
    .nullish()
    .describe(
      'Environment variables to set. Others are those of the application, or stay as they are in the preview.',
    ),
  lifetimeHours: lifetimeField
    .nullish()
    .describe('The hours from now after which it is deleted. Defaults to that of the settings.'),
  dryRun: dryRunField,
});
export type OpenPreview = z.infer<typeof openPreview>;

export const closePreview = z.strictObject({
  application: applicationRef.describe('The application.'),
  key: key.describe('The key with which the preview was opened.'),
  ...plannedChange('the preview'),
});
export type ClosePreview = z.infer<typeof closePreview>;

/** What a preview is doing. */
export const previewStates = {
  deploying: 'It is being deployed.',
  seeding: 'The command after its first deploy is running.',
  ready: 'It is deployed.',
  failed: 'It could not be deployed, or the command after its first deploy has failed.',
  deleting: 'It has been deleted, and is being removed from the cluster.',
} as const;
export type PreviewState = keyof typeof previewStates;
export const previewState = z.enum(Object.keys(previewStates) as [PreviewState, ...PreviewState[]]);

const maxName = 128;

/** The name of the application of a preview. A name that has to be cut ends with a hash of the whole. */
export function nameOfPreview(application: string, previewKey: string): string {
  const name = `${application}-${previewKey}`;
  return name.length <= maxName ? name : `${name.slice(0, maxName - 9).trimEnd()}-${shortHash(name)}`;
}
