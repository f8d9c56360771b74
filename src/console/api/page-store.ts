import type { Client, OperationResult, TypedDocumentNode } from 'urql';
import { createRequest } from 'urql';
import type { Live } from './live.ts';

/** A page of a list. */
export interface List<Node> {
  totalCount: number;
  pageInfo: { endCursor: string | null; hasNextPage: boolean };
  nodes: readonly Node[];
}

/** How the pages of a list are read that follow its first one. */
export interface Source<Data, Variables, Node> {
  document: TypedDocumentNode<Data, Variables>;
  variables: Omit<Variables, 'after'>;
  list(data: Data): List<Node> | null | undefined;
}

/** The items of all pages of a list. `page` is the one that an item was read with, if that is not the first one. */
export interface Joined<Node> {
  items: { node: Node; page: string | undefined }[];
  more: { count: number; load(): void } | undefined;
}

interface Page {
  /** The end of the page before it, behind which it was read. */
  after?: string;
  list?: List<unknown>;
  /** The number of the refresh after which it was read. */
  readAt?: number;
  followed?: { unsubscribe(): void };
}
interface Entry {
  name: string;
  source: Source<unknown, object, unknown>;
  first: List<unknown>;
  pages: Page[];
}

/**
 * The further pages of long lists, each a query of its own. Only those in sight are followed, and read again whenever
 * something changes. The others keep what they had, and are read again when they come into sight. Thus neither a page more
 * nor a change costs more in a long list than in a short one.
 */
export class PageStore {
  readonly #client: Client;
  readonly #live: Live;
  readonly #entries = new Map<string, Entry>();
  readonly #listeners = new Set<() => void>();
  #version = 0;

  constructor(client: Client, live: Live) {
    this.#client = client;
    this.#live = live;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  version = (): number => this.#version;

  /** The list that begins with this page. An item that has moved to another page is there once. */
  join<Data, Variables, Node extends { id: string }>(
    first: List<Node>,
    source: Source<Data, Variables, Node>,
  ): Joined<Node> {
    const entry = this.#entryOf(first, source as unknown as Entry['source']);
    const items: Joined<Node>['items'] = first.nodes.map((node) => ({ node, page: undefined }));
    const ids = new Set(first.nodes.map(({ id }) => id));
    let last = first;
    for (const [index, { list }] of entry.pages.entries()) {
      if (!list || !last.pageInfo.hasNextPage) break;
      last = list as List<Node>;
      for (const node of last.nodes) {
        if (ids.has(node.id)) continue;
        ids.add(node.id);
        items.push({ node, page: `${entry.name}/${index}` });
      }
    }
    if (!last.pageInfo.hasNextPage) return { items, more: undefined };
    const count = Math.max(1, first.totalCount - items.length);
    return { items, more: { count, load: () => this.#load(entry) } };
  }

  #entryOf(first: List<unknown>, source: Entry['source']): Entry {
    const name = String(createRequest(source.document, source.variables).key);
    const entry = this.#entries.get(name) ?? { name, source, first, pages: [] };
    this.#entries.set(name, entry);
    return Object.assign(entry, { source, first });
  }

  #load(entry: Entry): void {
    const last = entry.pages.at(-1);
    if (last && !last.list) return;
    entry.pages.push({});
    this.#follow(entry, entry.pages.length - 1);
  }

  /** Follows these pages, and no other ones. */
  see = (names: ReadonlySet<string>): void => {
    for (const entry of this.#entries.values()) {
      for (const [index, page] of entry.pages.entries()) {
        const isSeen = names.has(`${entry.name}/${index}`);
        if (isSeen && !page.followed) this.#follow(entry, index);
        // One that is being loaded is on its way.
        if (!isSeen && page.list) leave(page);
      }
    }
  };

  /** Reads followed pages again that are not behind the end of the one before any more. */
  align = (): void => {
    for (const entry of this.#entries.values()) this.#align(entry);
  };

  #align(entry: Entry): void {
    for (const [index, page] of entry.pages.entries())
      if (page.followed && page.after !== endBefore(entry, index)) this.#follow(entry, index);
  }

  /** Ends all of it when the tree is left. What changes from then on is not noticed. */
  leave = (): void => {
    for (const entry of this.#entries.values()) {
      for (const page of entry.pages) {
        leave(page);
        page.readAt = undefined;
      }
      entry.pages = entry.pages.filter(({ list }) => list);
    }
  };

  #follow(entry: Entry, index: number): void {
    const page = entry.pages[index];
    const after = endBefore(entry, index);
    if (!page || after === undefined) {
      this.#drop(entry, index);
      return;
    }
    leave(page);
    const isFresh = page.after === after && page.readAt === this.#live.refreshes;
    page.after = after;
    const { document, variables } = entry.source;
    const source = this.#client.query(
      document,
      { ...variables, after },
      { requestPolicy: isFresh ? 'cache-first' : 'cache-and-network' },
    );
    // Left before there is anything to leave, if the answer is in the cache.
    let isLeft = false;
    page.followed = {
      unsubscribe: () => {
        isLeft = true;
      },
    };
    const { unsubscribe } = source.subscribe((result) => this.#received(entry, page, result));
    if (isLeft) unsubscribe();
    else page.followed = { unsubscribe };
  }

  #received(entry: Entry, page: Page, { data, stale }: OperationResult): void {
    const index = entry.pages.indexOf(page);
    if (index === -1) return;
    const list = data ? entry.source.list(data) : page.list;
    if (!list) {
      this.#drop(entry, index);
      return;
    }
    if (!stale && data) page.readAt = this.#live.refreshes;
    if (list === page.list) return;
    page.list = list;
    this.#align(entry);
    this.#tell();
  }

  #drop(entry: Entry, index: number): void {
    for (const page of entry.pages.splice(index)) leave(page);
    this.#tell();
  }

  #tell(): void {
    this.#version++;
    for (const listener of this.#listeners) listener();
  }
}

/** The end of the page before this one. Undefined if there is nothing behind it. */
function endBefore({ first, pages }: Entry, index: number): string | undefined {
  const before = index === 0 ? first : pages[index - 1]?.list;
  if (!before?.pageInfo.hasNextPage) return undefined;
  return before.pageInfo.endCursor ?? undefined;
}

function leave(page: Page): void {
  page.followed?.unsubscribe();
  page.followed = undefined;
}
