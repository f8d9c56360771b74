import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change } from '../../db/write/change.ts';
import { maxWebhooks } from '../../db/write/deliveries.ts';
import { locked, lockedForDelete } from '../../db/write/locked.ts';
import { lockRows } from '../../db/write/locks.ts';
import { changeByStatements, type ObjectChange } from '../../db/write/plan.ts';
import { patched } from '../../db/write/revision.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { requireTeamFor } from '../team/reads.ts';
import { documentColumns } from './document-reads.ts';
import {
  type CreateWebhook,
  type DeleteWebhook,
  maxPendingTests,
  type Redeliver,
  type RotateWebhookSecret,
  type TestWebhook,
  type UpdateWebhook,
} from './model.ts';
import { requireDeliveryFor, requireWebhookFor } from './reads.ts';
import * as rows from './rows.ts';
import { newWebhookSecret, oldSecretMs } from './values-model.ts';

type Webhook = Row<'Webhook'>;
type Delivery = Row<'WebhookDelivery'>;

/** A webhook with its secret, which is only returned when it is new. */
interface WithSecret {
  webhook: Webhook;
  secret: string;
}

const storedPatterns = (events: readonly string[]) => JSON.stringify([...new Set(events)]);

export async function createWebhook(context: Context, input: CreateWebhook): Promise<WithSecret> {
  const team = await requireTeamFor(context, input.team, 'createWebhook');
  const columns = await documentColumns(context, team, input);
  const secret = newWebhookSecret();
  const webhook = await change(context, 'webhook.create', async (write) => {
    const { id: teamId } = team;
    await lockRows(write, 'Team', teamId);
    if ((await write.tx.webhook.count({ where: { teamId } })) >= maxWebhooks) {
      throw new ConflictError(`The team ${team.name} already has ${maxWebhooks} webhooks.`);
    }
    return rows.insertWebhook(write, {
      teamId,
      url: input.url,
      events: storedPatterns(input.events),
      ...columns,
      sealedSecret: context.seal.close(secret),
      sealedOldSecret: null,
      oldSecretUntil: null,
      isEnabled: true,
      disabledReason: null,
      failingSince: null,
    });
  });
  return { webhook, secret };
}

export async function updateWebhook(context: Context, input: UpdateWebhook): Promise<Webhook> {
  const { webhook, team } = await requireWebhookFor(context, input.webhook, 'updateWebhook');
  const columns = await documentColumns(context, team, input, webhook);
  return change(context, 'webhook.update', async (write) => {
    const before = await locked(write, 'Webhook', webhook.id, input);
    const { document, variables, serviceAccountId } = before;
    if (
      document !== webhook.document ||
      variables !== webhook.variables ||
      serviceAccountId !== webhook.serviceAccountId
    ) {
      throw new ConflictError('Another request changed the webhook at the same time. Try again.');
    }
    const { url, isEnabled } = patched(before, input, ['url', 'isEnabled']);
    const isSwitched = isEnabled !== before.isEnabled;
    return rows.setWebhook(write, before, {
      url,
      events: input.events ? storedPatterns(input.events) : before.events,
      ...columns,
      ...(isSwitched && { isEnabled, disabledReason: null, failingSince: null }),
    });
  });
}

/** Deletes a webhook with its deliveries. */
export async function deleteWebhook(
  context: Context,
  input: DeleteWebhook,
): Promise<{ webhook: Webhook; plan: ObjectChange[] }> {
  const { webhook } = await requireWebhookFor(context, input.webhook, 'deleteWebhook');
  const options = { ...input, deleted: [{ model: 'Webhook' as const, ids: [webhook.id] }] };
  const { result, plan } = await changeByStatements(context, 'webhook.delete', options, async (write) => {
    const before = await lockedForDelete(write, 'Webhook', webhook.id, input);
    await rows.removeWebhooks(write, [before]);
    return before;
  });
  return { webhook: result, plan };
}

/** Gives a webhook a new secret. The previous one signs as well for a day, so that receivers can be changed meanwhile. */
export async function rotateWebhookSecret(context: Context, input: RotateWebhookSecret): Promise<WithSecret> {
  const { webhook: found } = await requireWebhookFor(context, input.webhook, 'rotateWebhookSecret');
  const secret = newWebhookSecret();
  const webhook = await change(context, 'webhook.rotate_secret', async (write) => {
    const before = await locked(write, 'Webhook', found.id, input);
    return rows.setWebhook(write, before, {
      sealedSecret: context.seal.close(secret),
      sealedOldSecret: before.sealedSecret,
      oldSecretUntil: new Date(Date.now() + oldSecretMs),
    });
  });
  return { webhook, secret };
}

/** Sends a message that is no event, to see whether the webhook works. */
export async function testWebhook(context: Context, input: TestWebhook): Promise<Delivery> {
  const { webhook: found } = await requireWebhookFor(context, input.webhook, 'testWebhook');
  return change(context, 'webhook.test', async (write) => {
    const webhook = requireEnabled(await locked(write, 'Webhook', found.id));
    const { id: webhookId } = webhook;
    const where = { webhookId, subject: rows.testSubject(webhookId), eventId: null, status: 'PENDING' };
    if ((await write.tx.webhookDelivery.count({ where })) >= maxPendingTests) {
      throw new ConflictError(
        `The webhook already has ${maxPendingTests} pending tests. Wait for one to be sent.`,
      );
    }
    return rows.insertTest(write, webhook);
  });
}

/** Sends a delivery again. */
export async function redeliver(context: Context, input: Redeliver): Promise<Delivery> {
  const { delivery: found } = await requireDeliveryFor(context, input.delivery, 'redeliver');
  return change(context, 'webhook.redeliver', async (write) => {
    const webhook = requireEnabled(await locked(write, 'Webhook', found.webhookId));
    return rows.repeatDelivery(write, webhook, await locked(write, 'WebhookDelivery', found.id));
  });
}

function requireEnabled(webhook: Webhook): Webhook {
  if (webhook.isEnabled) return webhook;
  throw new ConflictError('The webhook is switched off. Switch it on first.');
}
