import { type IncomingMessage, request } from 'node:http';
import type { Trellis } from './trellis.ts';

/** An item of a subscription as it was sent. */
export interface SentItem {
  id?: string;
  event?: string;
  data?: any;
}

export interface Subscription {
  status: number;
  headers: Headers;
  /** Whether the first thing that was sent is the id with which a subscription begins. Otherwise it was refused. */
  hasBegun: Promise<boolean>;
  /** The next item or `complete`; undefined when the connection was closed. */
  next(): Promise<SentItem | undefined>;
  /** The comments so far: heartbeats. */
  comments(): number;
  /** The last id so far, with or without an item. */
  lastId(): string | undefined;
  close(): void;
}

export interface SubscribeOptions {
  token?: string | null;
  variables?: object;
  lastEventId?: string | undefined;
  headers?: Record<string, string>;
  method?: 'GET' | 'POST';
}

/** Subscribes over server-sent events. */
export async function subscribe(
  { url, adminToken }: Pick<Trellis, 'url' | 'adminToken'>,
  query: string,
  { token = adminToken, variables, lastEventId, headers, method = 'POST' }: SubscribeOptions = {},
): Promise<Subscription> {
  const controller = new AbortController();
  const address = new URL(`${url}/graphql`);
  if (method === 'GET') {
    address.searchParams.set('query', query);
    address.searchParams.set('variables', JSON.stringify(variables ?? {}));
  }
  // Each has a connection of its own: one that is kept could be closed by the server at the moment of its use.
  const outgoing = request(address, {
    method,
    agent: false,
    signal: controller.signal,
    headers: {
      Accept: 'text/event-stream',
      ...(method === 'POST' && { 'Content-Type': 'application/json' }),
      ...(token !== null && { Authorization: `Bearer ${token}` }),
      ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
      ...headers,
    },
  });
  outgoing.end(method === 'POST' ? JSON.stringify({ query, variables }) : undefined);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    // After the response, an error ends the stream.
    outgoing.on('error', reject);
  });
  response.setEncoding('utf8');
  let comments = 0;
  let lastId: string | undefined;
  const items: SentItem[] = [];
  let wake = () => {};
  let hasEnded = false;
  let tellBegun: (hasBegun: boolean) => void = () => {};
  const hasBegun = new Promise<boolean>((resolve) => {
    tellBegun = resolve;
  });
  const read = async () => {
    for await (const item of parsed(response)) {
      lastId = item?.id ?? lastId;
      if (item) tellBegun(item.id !== undefined);
      if (!item) comments++;
      else if (item.event !== undefined) items.push(item);
      wake();
    }
    hasEnded = true;
    tellBegun(false);
    wake();
  };
  void read();
  return {
    status: response.statusCode!,
    headers: new Headers(response.headers as Record<string, string>),
    hasBegun,
    comments: () => comments,
    lastId: () => lastId,
    async next() {
      while (items.length === 0 && !hasEnded) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return items.shift();
    },
    close: () => controller.abort(),
  };
}

/** Parses a stream of server-sent events; undefined stands for a comment. Ends when the connection does, however it does. */
async function* parsed(stream: AsyncIterable<string>): AsyncGenerator<SentItem | undefined, void> {
  let text = '';
  const chunks = stream[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await chunks.next().catch(() => ({ done: true as const, value: undefined }));
    if (done) return;
    text += value;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const item: Record<string, string> = {};
      for (const line of text.slice(0, end).split('\n')) {
        const [, name = '', content = ''] = /^([^:]*):? ?(.*)$/.exec(line)!;
        if (name === '') yield undefined;
        else item[name] = content;
      }
      text = text.slice(end + 2);
      yield { ...item, data: item.data ? JSON.parse(item.data) : undefined };
    }
  }
}

/** The next items, up to one that fits. */
export async function until(
  subscription: Subscription,
  fits: (item: SentItem) => boolean,
): Promise<SentItem[]> {
  const items: SentItem[] = [];
  for (;;) {
    const item = await subscription.next();
    if (!item) throw new Error(`closed after ${JSON.stringify(items)}`);
    items.push(item);
    if (fits(item)) return items;
  }
}
