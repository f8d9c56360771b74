import { z } from 'zod';
import { text } from '../../kernel/validate.ts';

export const eventFilter = z.strictObject({
  action: text(64).min(1).nullish().describe('Only this action: `port.open_outer`.'),
  objectType: text(64).min(1).nullish().describe('Only objects of this type: `Port`.'),
  objectUid: text(64).min(1).nullish().describe('Only the object with this identifier.'),
  since: z.date().nullish().describe('Only events at or after this moment.'),
  until: z.date().nullish().describe('Only events before this moment.'),
});
export type EventFilter = z.infer<typeof eventFilter>;
