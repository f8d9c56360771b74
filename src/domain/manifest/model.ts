import { z } from 'zod';
import { dryRunField } from '../../kernel/validate.ts';
import { startStopped } from '../component/deploy/scope-model.ts';
import { deployMode, pruneMode } from '../plan/model.ts';
import { regionRef } from '../region/model.ts';
import { teamRef } from '../team/model.ts';

export const documentFormats = {
  yaml: 'YAML 1.2.',
  json: 'JSON.',
} as const;
export const documentFormat = z.enum(['yaml', 'json']);

export const planFields = {
  team: teamRef.describe('The team of the application.'),
  region: regionRef.describe('The region of the application. It must be open for the team.'),
  document: z
    .string()
    .describe(
      'The manifest, YAML 1.2 or JSON, at most 1 MiB. Its JSON Schema is at `/manifest.schema.json`.',
    ),
  prune: pruneMode
    .nullish()
    .describe(
      'The handling of objects that belong to the manifest and are no longer in the document. Defaults to NONE.',
    ),
  deploy: deployMode
    .nullish()
    .describe('The components to deploy, except for stopped ones. Defaults to CHANGED.'),
  startStopped: startStopped.describe(
    'Whether `deploy` also deploys stopped components, which starts them. Defaults to false.',
  ),
};

const planInput = z.strictObject(planFields);
export type PlanManifest = z.infer<typeof planInput>;

export const applyManifest = z.strictObject({
  ...planFields,
  allowsDestruction: z
    .boolean()
    .nullish()
    .describe(
      'Whether to allow changes that destroy data or an address. Otherwise, such changes fail with CONFLICT. Defaults to false.',
    ),
  expectedPlan: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'Must be the digest of a plan')
    .nullish()
    .describe(
      'The `digest` of the reviewed plan. Fails with CONFLICT if the plan has changed since. Not checked if omitted.',
    ),
  dryRun: dryRunField,
});
export type ApplyManifest = z.infer<typeof applyManifest>;
