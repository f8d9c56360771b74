import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DocumentNode, ExecutionResult } from 'graphql';
import type { Context, ItemStream } from '../../context.ts';
import { callerOf } from '../../http/rate-limits.ts';
import type { Streams } from '../../http/streams.ts';
import { type ApiError, UnavailableError } from '../../kernel/errors.ts';
import type { StreamedDocuments } from './streamed-documents.ts';

/** The clients of a server that stops come back after a while between these, in ms, and not all at once. */
const retryMs = { min: 500, max: 3_000 };

/** The codes after which subscribing again with the same token cannot help. */
const finalCodes = new Set<unknown>(['UNAUTHENTICATED', 'FORBIDDEN', 'NOT_FOUND', 'INVALID_INPUT']);

const completed = 'event: complete\ndata:\n\n';

/** Ids are as long as the list of transactions that were open. */
const maxIdLength = 16_384;

/**
 * The response to a subscription, in the "distinct connections mode" of GraphQL over SSE.
 *
 * @see https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md
 */
export class EventStream implements ItemStream {
  readonly lastEventId: string | undefined;
  itemId: string | undefined;
  hasEnded = false;
  readonly #res: ServerResponse;
  readonly #context: Context;
  readonly #streams: Streams;
  #ended: (reason: ApiError) => void = () => {};
  #resume: () => void = () => {};
  #release: () => void = () => {};

  constructor(req: IncomingMessage, res: ServerResponse, context: Context, streams: Streams) {
    const header = req.headers['last-event-id'];
    this.lastEventId = typeof header === 'string' && header !== '' ? header.slice(0, maxIdLength) : undefined;
    this.#res = res;
    this.#context = context;
    this.#streams = streams;
  }

  /** Reserves the memory of what it holds until it ends: its document, what was sent, and the rows that were read. Throws if there is none. */
  keep(documents: StreamedDocuments, document: DocumentNode): void {
    const { budget } = this.#context;
    if (!budget) return;
    const release = budget.keep(budget.used.bytes);
    this.#release = release;
    const close = documents.open(document, (size) => budget.keep(size));
    this.#release = () => {
      release();
      close();
    };
    if (this.hasEnded) this.#giveBack();
  }

  #giveBack(): void {
    this.#release();
    this.#release = () => {};
  }

  begin(ended: (reason: ApiError) => void): void {
    this.#streams.begin(this.#res, callerOf(this.#context.actor), (reason) => this.#end(reason));
    this.#ended = ended;
    this.#res.once('close', () => this.#end(new UnavailableError('The client closed the connection.')));
    if (this.#res.destroyed) this.#end(new UnavailableError('The client closed the connection.'));
  }

  #end(reason: ApiError): void {
    this.hasEnded = true;
    this.#streams.leave(this.#res);
    this.#giveBack();
    this.#ended(reason);
    this.#resume();
  }

  /** Stops counting a subscription that has failed to begin. */
  leave(): void {
    this.#streams.leave(this.#res);
    this.#giveBack();
  }

  /** Sends the results, one when the client has read the one before. `present` makes the JSON of a result. */
  async send(
    results: AsyncIterable<ExecutionResult>,
    present: (result: ExecutionResult) => Promise<{ body: string; codes: unknown[] }>,
  ): Promise<void> {
    const res = this.#res;
    // Each item has its own time.
    this.#context.budget?.end(true);
    this.#open(200);
    const retry = Math.round(retryMs.min + Math.random() * (retryMs.max - retryMs.min));
    // With an id, a client that is interrupted before the first item misses nothing either. Some clients ignore ids
    // without data, and none takes an empty line for an item.
    const id = this.itemId === undefined ? '' : `id: ${this.itemId}\ndata:\n`;
    res.write(`retry: ${retry}\n${id}\n`);
    let isComplete = true;
    try {
      for await (const result of results) {
        if (res.destroyed) return;
        const { body, codes } = await present(result);
        const isLast = this.itemId === undefined;
        if (isLast) isComplete = codes.every((code) => finalCodes.has(code));
        res.write(`${isLast ? '' : `id: ${this.itemId}\n`}event: next\ndata: ${body}\n\n`);
        if (!isLast && res.writableNeedDrain) await this.#drained();
      }
    } finally {
      this.#end(new UnavailableError('The subscription has ended.'));
      // Without `complete`, clients subscribe again.
      if (!res.destroyed) res.end(isComplete ? completed : undefined);
    }
  }

  /** Sends a result that is not a stream. */
  sendOne(status: number, body: string): void {
    this.#open(status);
    this.#res.end(`event: next\ndata: ${body}\n\n${completed}`);
  }

  #open(status: number): void {
    this.#res.writeHead(status, {
      'Content-Type': 'text/event-stream',
      // Compressing would delay items until there are enough of them.
      'Cache-Control': 'no-store, no-transform',
      // nginx would do the same.
      'X-Accel-Buffering': 'no',
    });
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#resume = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Resolves when the client has read what was sent, or when the stream has to end. */
  #drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = resolve;
      this.#res.once('drain', resolve);
    });
  }
}
