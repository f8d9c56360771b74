import { z } from 'zod';
import { text } from '../../kernel/validate.ts';
import { userRef } from '../user/model.ts';

export const eventFilter = z.strictObject({
  action: text(64)
    .min(1)
    .nullish()
    .describe('Returns only events with this action, for example `port.open_outer`.'),
  objectType: text(64)
    .min(1)
    .nullish()
    .describe('Returns only events about objects of this type, for example `Port`.'),
  objectUid: text(64).min(1).nullish().describe('Returns only events about the object with this identifier.'),
  user: userRef
    .nullish()
    .describe(
      'Returns only events of this user. Fails with NOT_FOUND if the user is not visible to the caller.',
    ),
  since: z.date().nullish().describe('Returns only events at or after this time.'),
  until: z.date().nullish().describe('Returns only events before this time.'),
});
export type EventFilter = z.infer<typeof eventFilter>;
