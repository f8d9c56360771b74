import type { ExecutionResult } from 'urql';

export type StreamState = 'connecting' | 'open' | 'lost';

export interface StreamSink {
  next(result: ExecutionResult): void;
  complete(): void;
  state(state: StreamState): void;
}

interface Request {
  url: string;
  /** By which the request is authenticated. */
  headers: Record<string, string>;
  body: { query: string; variables?: object };
}

/** The server sends a heartbeat at least this often, unless the connection is gone. */
const silenceMs = 40_000;
const [minWaitMs, maxWaitMs] = [300, 10_000];

/**
 * Follows a subscription over server-sent events. Reconnects until it is completed or left, and continues behind the last
 * item. A hidden tab has no connection. Not EventSource, which cannot send the token in a header.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function followStream({ url, headers, body }: Request, sink: StreamSink): () => void {
  let lastEventId: string | undefined;
  let failures = 0;
  let hasLeft = false;
  let attempt: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const leave = () => {
    hasLeft = true;
    clearTimeout(timer);
    attempt?.abort();
    removeEventListener('online', reconnect);
    removeEventListener('offline', cut);
    document.removeEventListener('visibilitychange', onVisibility);
  };
  const reconnect = () => {
    clearTimeout(timer);
    if (!hasLeft && !document.hidden) void connect();
  };
  const cut = () => attempt?.abort();
  addEventListener('online', reconnect);
  // A browser that is offline does not notice by itself that nothing arrives.
  addEventListener('offline', cut);
  const onVisibility = () => (document.hidden ? cut() : reconnect());
  document.addEventListener('visibilitychange', onVisibility);

  async function connect(): Promise<void> {
    attempt?.abort();
    const controller = new AbortController();
    attempt = controller;
    let watch: ReturnType<typeof setTimeout> | undefined;
    const onData = () => {
      clearTimeout(watch);
      watch = setTimeout(() => controller.abort(), silenceMs);
    };
    try {
      onData();
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          Accept: 'text/event-stream',
          ...headers,
          'Content-Type': 'application/json',
          ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
        },
        body: JSON.stringify(body),
        signal: controller.signal,
      });
      // The server is too busy, or away.
      if (response.status >= 500 || response.status === 429) throw new Error(String(response.status));
      if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
        return finish(await response.json());
      }
      if (response.ok) {
        failures = 0;
        sink.state('open');
      }
      for await (const { id, event, data } of messagesOf(response.body!, onData)) {
        if (event === 'complete') return finish();
        if (id !== undefined) lastEventId = id;
        if (data) sink.next(JSON.parse(data));
      }
    } catch {
      // The connection was lost.
    } finally {
      clearTimeout(watch);
    }
    if (hasLeft || attempt !== controller) return;
    if (document.hidden) return sink.state('connecting');
    sink.state('lost');
    const waitMs = Math.min(maxWaitMs, minWaitMs * 2 ** failures++);
    timer = setTimeout(reconnect, waitMs * (0.75 + Math.random() / 2));
  }

  function finish(result?: ExecutionResult): void {
    if (hasLeft) return;
    if (result) sink.next(result);
    leave();
    sink.complete();
  }

  sink.state('connecting');
  reconnect();
  return leave;
}

interface Message {
  id?: string;
  event?: string;
  data?: string;
}

async function* messagesOf(body: ReadableStream<Uint8Array>, onData: () => void): AsyncGenerator<Message> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onData();
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop()!;
    for (const block of blocks) {
      const message: Message = {};
      for (const line of block.split('\n')) {
        const [, field, text] = /^(id|event|data): ?(.*)$/.exec(line) ?? [];
        if (field) message[field as keyof Message] = (field === 'data' ? (message.data ?? '') : '') + text;
      }
      if (message.event || message.data) yield message;
    }
  }
}
