import { z } from 'zod';
import { dryRunField } from '../../kernel/validate.ts';
import { regionRef } from './model.ts';

/** The most orphans that are listed and removed at once. */
export const maxOrphans = 200;

/** The most regions of a request whose orphans are listed, because each takes ten lists of its cluster. */
export const maxOrphanRegions = 10;

export const removeRegionOrphans = z.strictObject({
  region: regionRef.describe('The region.'),
  deleteVolumes: z
    .boolean()
    .nullish()
    .describe('Whether volumes are removed as well, with their data. Defaults to false, which keeps them.'),
  dryRun: dryRunField,
});
export type RemoveRegionOrphans = z.infer<typeof removeRegionOrphans>;
