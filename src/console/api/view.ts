import { createContext, useContext, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import {
  type AnyVariables,
  type Client,
  type CombinedError,
  createRequest,
  stringifyDocument,
  type TypedDocumentNode,
  useClient,
  useQuery,
} from 'urql';
import { useLive } from './client.ts';
import { PageStore } from './page-store.ts';

/** The request of the page that is shown. */
export interface ViewRequest {
  key: number;
  query: string;
  variables: object;
}

/** The request of the page, for the corner of the window. */
export const ViewContext = createContext<(request: ViewRequest | undefined) => void>(() => {});

export interface View<Data> {
  data: Data | undefined;
  error: CombinedError | undefined;
  isLoading: boolean;
  retry(): void;
}

/** The one query of a page. It is read again whenever a subscription reports a change. */
export function useView<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): View<Data> {
  const text = JSON.stringify(variables);
  const request = useMemo(() => createRequest(document, JSON.parse(text) as Variables), [document, text]);
  const [{ data, error, fetching, operation }, execute] = useQuery<Data, Variables>({
    query: request.query,
    variables: request.variables,
  } as Parameters<typeof useQuery<Data, Variables>>[0]);
  // Until a query has a result, `data` is that of the one before.
  const last = useRef<{ key: number; data: Data }>(undefined);
  if (data && operation?.key === request.key) last.current = { key: request.key, data };
  const lastData = last.current?.key === request.key ? last.current.data : undefined;
  const show = useContext(ViewContext);
  useEffect(() => {
    show({
      key: request.key,
      query: stringifyDocument(request.query),
      variables: request.variables as object,
    });
    return () => show(undefined);
  }, [request, show]);
  return {
    data: fetching ? (lastData ?? data) : data,
    error,
    isLoading: fetching && !lastData && !data,
    retry: () => execute({ requestPolicy: 'network-only' }),
  };
}

const stores = new WeakMap<Client, PageStore>();

/** The further pages of the lists of a tree, which stay for the way back to it. */
export function useTreePages(): PageStore {
  const client = useClient();
  const live = useLive();
  const store = stores.get(client) ?? new PageStore(client, live);
  stores.set(client, store);
  useSyncExternalStore(store.subscribe, store.version);
  useEffect(store.align);
  useEffect(() => store.leave, [store]);
  return store;
}

/**
 * Further pages of the lists of a page. The cache joins them with the list that they continue, so that their answers
 * appear in the data of the page itself; they stay queries of the page and are read again with it.
 */
export function usePages() {
  const client = useClient();
  const { reread } = useLive();
  const followed = useRef(new Map<string, { unsubscribe(): void }>());
  const reset = () => {
    for (const { unsubscribe } of followed.current.values()) unsubscribe();
    followed.current.clear();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the page is left
  useEffect(() => reset, [client]);
  return {
    /** Loads the page with these variables, once. */
    load<Data, Variables extends AnyVariables>(
      document: TypedDocumentNode<Data, Variables>,
      variables: Variables,
    ): void {
      const id = String(createRequest(document, variables).key);
      if (followed.current.has(id)) return;
      let isFirst = true;
      const source = client.query(document, variables).subscribe(() => {
        if (isFirst) reread();
        isFirst = false;
      });
      followed.current.set(id, source);
    },
  };
}

interface Paged {
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** Loads the pages of a list one after the other. Returns whether it is complete. */
export function useAllPages<Data, Variables extends AnyVariables>(
  list: Paged | undefined,
  document: TypedDocumentNode<Data, Variables>,
  variables: (after: string) => Variables,
): boolean {
  const pages = usePages();
  const { hasNextPage, endCursor } = list?.pageInfo ?? {};
  // biome-ignore lint/correctness/useExhaustiveDependencies: one page after the other
  useEffect(() => {
    if (hasNextPage && endCursor) pages.load(document, variables(endCursor));
  }, [hasNextPage, endCursor]);
  return list !== undefined && !hasNextPage;
}
