import type { Dispatcher } from 'undici';
import { agentOnDemand } from '../outgoing/agent-on-demand.ts';
import { connectionFailure } from '../outgoing/failure-text.ts';
import { type WebhookAnswer, type WebhookMessage, WebhookSendError, type WebhookSender } from './driver.ts';

export interface WebhookLimits {
  /** The timeout of a message, with the connection and the response, in ms. */
  timeoutMs: number;
  /** The most bytes that are read of a response before the connection is closed. */
  answerBytes: number;
}

const webhookLimits: WebhookLimits = { timeoutMs: 10_000, answerBytes: 1_024 };

/**
 * Webhooks over HTTP. `allowPrivate` allows connections to addresses outside the public internet. Redirects are not followed,
 * because they could lead to an address that the owner of the webhook has not chosen.
 */
export function createHttpWebhooks(options: {
  allowPrivate: boolean;
  limits?: Partial<WebhookLimits> | undefined;
}): WebhookSender {
  const { timeoutMs, answerBytes } = { ...webhookLimits, ...options.limits };
  // The address that the name resolves to is not revealed.
  const refusal = () => new WebhookSendError('The address is not allowed.');
  // Connections are not reused: the rest of a response is not read, so that they have to be closed.
  const agent = agentOnDemand({
    allowPrivate: options.allowPrivate,
    refusal,
    interim: () => new WebhookSendError('The server sent too many interim responses.'),
    connectTimeoutMs: timeoutMs,
  });

  /** The beginning of a response. The status counts even if the rest of it never arrives. */
  async function beginningOf({ body }: Dispatcher.ResponseData): Promise<string> {
    const chunks: Buffer[] = [];
    let length = 0;
    body.on('error', () => {});
    try {
      for await (const chunk of body) {
        const part = (chunk as Buffer).subarray(0, answerBytes - length);
        // A copy: the chunk can be a part of a large buffer.
        chunks.push(Buffer.from(part));
        length += part.length;
        if (length >= answerBytes) break;
      }
    } catch {
      // Late, or the connection broke.
    } finally {
      body.destroy();
    }
    // With `stream`, a character that was cut off is left out. Postgres stores no NUL.
    return new TextDecoder().decode(Buffer.concat(chunks), { stream: true }).replaceAll('\0', '');
  }

  return {
    async send({ url, headers, body }: WebhookMessage, signal?: AbortSignal): Promise<WebhookAnswer> {
      signal?.throwIfAborted();
      const late = AbortSignal.timeout(timeoutMs);
      const { origin, pathname, search } = new URL(url);
      try {
        const answer = await agent.request({
          origin,
          path: `${pathname}${search}`,
          method: 'POST',
          headers,
          body,
          signal: signal ? AbortSignal.any([signal, late]) : late,
        });
        return { status: answer.statusCode, text: await beginningOf(answer) };
      } catch (error) {
        signal?.throwIfAborted();
        throw late.aborted
          ? new WebhookSendError(`The server did not respond within ${timeoutMs / 1000} s.`)
          : failureOf(error);
      }
    },

    close: () => agent.destroy(),
  };
}

/** The error for a failed connection, without the library's message, which can quote arbitrary data. */
function failureOf(error: unknown): unknown {
  if (error instanceof WebhookSendError) return error;
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (typeof code !== 'string') return new WebhookSendError('The server sent an invalid HTTP response.');
  return new WebhookSendError(connectionFailure('server', code));
}
