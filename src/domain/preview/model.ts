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
const keyText = 'The key of the preview, chosen by the caller, such as `pr-42`. Unique in the application.';

export const openPreview = z.strictObject({
  application: applicationRef.describe('The application. Its settings must allow previews.'),
  key: key.describe(keyText),
  images: copiedImages
    .nullish()
    .describe(
      'The images to run. Other components run the images of the application or, in an existing preview, keep theirs.',
    ),
  variables: copiedVariables
    .nullish()
    .describe(
      'The environment variables to set. Others have the values of the application or, in an existing preview, are unchanged.',
    ),
  lifetimeHours: lifetimeField
    .nullish()
    .describe(
      'The number of hours until the preview is deleted. Defaults to `lifetimeHours` of the preview settings.',
    ),
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
  deploying: 'Being deployed.',
  seeding: 'The command after the first deploy is running.',
  ready: 'Deployed.',
  failed: 'The deploy failed, or the command after the first deploy failed.',
  deleting: 'Deleted, and being removed from the cluster.',
} as const;
export type PreviewState = keyof typeof previewStates;
export const previewState = z.enum(Object.keys(previewStates) as [PreviewState, ...PreviewState[]]);

const maxName = 128;

/** The name of the application of a preview. A name that has to be cut ends with a hash of the whole. */
export function nameOfPreview(application: string, previewKey: string): string {
  const name = `${application}-${previewKey}`;
  return name.length <= maxName ? name : `${name.slice(0, maxName - 9).trimEnd()}-${shortHash(name)}`;
}
