import type { ResultOf } from '../api/graphql.ts';
import type { WebhookQuery } from '../documents/webhooks.ts';

export type Webhook = Omit<NonNullable<ResultOf<typeof WebhookQuery>['webhook']>, 'team' | 'deliveries'>;

export interface Team {
  id: string;
  name: string;
  alias: string;
}
