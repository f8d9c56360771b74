import { randomUUID } from 'node:crypto';
import type { Services } from '../../../context.ts';
import { type ChangeContext, change } from '../../../db/write/change.ts';
import { createLoaders } from '../../../kernel/batch.ts';
import { switchOff } from './rows.ts';

/** Switches off a webhook, and records an event of its team. */
export async function switchOffWebhook(
  { db, log }: Pick<Services, 'db' | 'log'>,
  id: string,
  reason: 'GONE' | { failingBefore: Date },
): Promise<void> {
  const [webhook] = await db.webhook.findManyByKeys({ by: 'id', keys: [id], fields: ['id', 'teamId'] });
  if (!webhook) return;
  const [team] = await db.team.findManyByKeys({
    by: 'id',
    keys: [webhook.teamId],
    fields: ['id', 'enterpriseId'],
  });
  if (!team) return;
  const { enterpriseId } = team;
  const actor = { userId: null, serviceAccountId: null, tokenId: null, enterpriseId, isReadOnly: false };
  const context: ChangeContext = { db, requestId: randomUUID(), loaders: createLoaders(), actor };
  const isOff = await change(context, 'webhook.disable', (write) => switchOff(write, id, reason));
  if (isOff) log.info({ webhook: id, reason: reason === 'GONE' ? reason : 'FAILED' }, 'webhook switched off');
}
