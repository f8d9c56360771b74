import { Webhook } from 'standardwebhooks';

/** The signature of a message, as Standard Webhooks have it. */
export const signatureOf = (
  { messageId, now, body }: { messageId: string; now: Date; body: string },
  secret: string,
): string => new Webhook(secret).sign(messageId, now, body);
