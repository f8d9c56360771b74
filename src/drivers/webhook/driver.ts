export interface WebhookMessage {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** The answer of a webhook: the status, and the beginning of the response. */
export interface WebhookAnswer {
  status: number;
  text: string;
}

/** There was no answer. The message says why, for the owners of the webhook. */
export class WebhookSendError extends Error {}

export interface WebhookSender {
  /** Sends a message once. Throws a WebhookSendError, or the reason of the signal when that is aborted. */
  send(message: WebhookMessage, signal?: AbortSignal): Promise<WebhookAnswer>;
  close(): Promise<void>;
}
