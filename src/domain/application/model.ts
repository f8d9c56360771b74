import { z } from 'zod';
import { integerId, reference } from '../../kernel/reference.ts';
import { displayName, displayProse, logo } from '../../kernel/validate.ts';
import { regionRef } from '../region/model.ts';
import { teamRef } from '../team/model.ts';

export const applicationRef = reference('application', {
  appId: integerId('The `appId` of the application.'),
});
export type ApplicationRef = z.infer<typeof applicationRef>;

export const createApplication = z.strictObject({
  team: teamRef.describe('Whose application.'),
  region: regionRef.describe('Where it runs; the region must be opened for the team, and enabled.'),
  name: displayName(128).describe('Unique name in the team and region.'),
  note: displayProse(2048).nullish().describe('Remark.'),
  principal: displayName(64).nullish().describe('The person in charge; the caller by default.'),
  governanceMode: displayName(64).nullish().describe('Governance mode.'),
  orderIndex: z.int32().nullish().describe('Place in lists, smaller first; 0 by default.'),
  isDefault: z
    .boolean()
    .nullish()
    .describe(
      'Whether it is the default application of the team in the region, in place of the one that was; false by default.',
    ),
  logo: logo().nullish().describe('Its logo: an https URL, or `data:image/…` of at most 64 KiB.'),
});
export type CreateApplication = z.infer<typeof createApplication>;

export const applicationOrders = {
  INDEX: ['orderIndex', 'name', 'id'],
  NAME: ['name', 'id'],
  CREATED_AT: ['createdAt', 'id'],
} as const;
