import type { Row } from '../../../db/tables.ts';

export interface DeliverySettings {
  /** How often the worker looks for deliveries of other processes. */
  pollMs: number;
  /** The pause between two looks, in which what happens meanwhile is collected. */
  pauseMs: number;
  /** How long a process holds a delivery unless it renews the lease, as it does while an attempt lasts. */
  leaseMs: number;
  /** The wait before the second attempt. The following ones are about twice as long each. */
  backoffMinMs: number;
  backoffMaxMs: number;
  /** How long a delivery waits, after the next attempt of the one before it, if that does not call it. */
  postponeMs: number;
  /** For how long a delivery is tried, and a webhook may fail. */
  giveUpMs: number;
  /** Deliveries under way in a process. */
  maxUnderWay: number;
  /** Deliveries under way to the webhooks of one team. */
  maxPerTeam: number;
}

const dayMs = 86_400_000;

export const deliveryDefaults: DeliverySettings = {
  pollMs: 4_000,
  pauseMs: 25,
  leaseMs: 4_000,
  backoffMinMs: 5_000,
  backoffMaxMs: 6 * 3_600_000,
  postponeMs: 3_600_000,
  giveUpMs: 3 * dayMs,
  maxUnderWay: 40,
  maxPerTeam: 10,
};

/** How long rows of finished deliveries are kept. */
export const keepFinishedMs = 30 * dayMs;

/** The time of the document of a webhook, and of what it may use. A message has one object and what belongs to it. */
export const documentLimits = {
  requestTimeoutMs: 10_000,
  textBytes: 2 ** 20,
  values: 50_000,
  /** The memory of all documents that are executed at once. */
  answersBytes: 32 * 2 ** 20,
};

export type AttemptOutcome =
  | { kind: 'delivered'; responseCode: number; response: string }
  /** The receiver says that it will not be there again: status 410. */
  | { kind: 'gone'; responseCode: number; response: string }
  | { kind: 'failed'; responseCode: number | null; response: string | null; error: string | null }
  /** It was not sent, for a reason that is not the webhook's. */
  | { kind: 'handBack'; waitMs: number };

/** The columns of what was sent. Null if the message could not be created. */
export type PayloadColumns = Pick<Row<'WebhookDelivery'>, 'sealedPayload' | 'payloadAccountId'>;

export const noPayload: PayloadColumns = { sealedPayload: null, payloadAccountId: null };

export interface Attempt {
  delivery: Row<'WebhookDelivery'>;
  outcome: AttemptOutcome;
  payload: PayloadColumns;
  durationMs: number;
}

/** The part of a body that is stored. */
const payloadBytes = 4_096;

/** The beginning of a body, cut at a whole character. */
export function shownPayload(body: string): string {
  const { read } = new TextEncoder().encodeInto(body, new Uint8Array(payloadBytes));
  return read < body.length ? `${body.slice(0, read)}…` : body;
}

/** The outcome of an answer with this status. Redirects are failures, because they are not followed. */
export const outcomeOfStatus = (status: number): 'delivered' | 'gone' | 'failed' =>
  status >= 200 && status < 300 ? 'delivered' : status === 410 ? 'gone' : 'failed';

/**
 * How long a delivery waits after a number of attempts. With jitter of a fifth, so that what failed at once is not repeated at
 * once.
 */
export function backoffMs(
  attempts: number,
  { backoffMinMs, backoffMaxMs }: Pick<DeliverySettings, 'backoffMinMs' | 'backoffMaxMs'>,
  random = Math.random(),
): number {
  const wait = Math.min(backoffMaxMs, backoffMinMs * 2 ** Math.min(Math.max(attempts, 1) - 1, 40));
  return Math.round(wait * (0.8 + 0.4 * random));
}

/** Why pending deliveries of a webhook that is switched off are not sent. */
export const switchedOff = 'The webhook is switched off.';
