import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { allows, allowsAll, placeOf } from '../../kernel/access.ts';
import { actionsOfRole, type Role } from '../../kernel/actions.ts';
import { derived, lengthOf } from '../../kernel/derived.ts';
import { serviceAccountById } from '../service-account/reads.ts';
import { teamById } from '../team/reads.ts';

type WithPayload = Pick<Row<'WebhookDelivery'>, 'teamId' | 'sealedPayload' | 'payloadAccountId'>;

const openedPayload = derived(
  ({ sealedPayload }: WithPayload, { seal }: Context) => seal.open(sealedPayload!),
  (_, payload) => lengthOf(payload),
);

/** What was sent with the last attempt. Null if nothing was, and for callers who cannot change the webhook. */
export const payloadOfDelivery = async (context: Context, delivery: WithPayload): Promise<string | null> =>
  delivery.sealedPayload !== null && (await mayReadPayload(context, delivery))
    ? openedPayload(delivery, context)
    : null;

/**
 * Only callers who may set such a document can read its result: those with all rights of the service account that it was
 * executed with, also if the webhook has another document since then.
 */
async function mayReadPayload(context: Context, { teamId, payloadAccountId }: WithPayload): Promise<boolean> {
  const { actor } = context;
  const team = actor.isReadOnly ? null : await teamById(context, teamId);
  if (!team || !allows(actor, 'updateWebhook', placeOf(team))) return false;
  if (payloadAccountId === null) return true;
  const account = await serviceAccountById(context, payloadAccountId);
  return account !== null && allowsAll(actor, actionsOfRole(account.role as Role), placeOf(team));
}
