import { type AnyVariables, type TypedDocumentNode, useQuery } from 'urql';

/** The result of a query, read again whenever something that needs it is opened. Undefined until then. */
export function useFresh<Data, Variables extends AnyVariables>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
) {
  const [{ data, error, fetching }] = useQuery<Data, Variables>({
    query,
    variables,
    requestPolicy: 'network-only',
  } as Parameters<typeof useQuery<Data, Variables>>[0]);
  return { data, error, fetching };
}
