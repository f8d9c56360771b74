import { useEffect } from 'react';
import { useQuery } from 'urql';
import { usePages } from '../../api/view.ts';
import { ComponentChoiceQuery } from '../../documents/create.ts';

/** The components of an application, all pages of them. */
export function useComponents(appId: number) {
  const by = { appId };
  const [{ data }] = useQuery({ query: ComponentChoiceQuery, variables: { by } });
  const pages = usePages();
  const list = data?.application?.components;
  const { hasNextPage, endCursor } = list?.pageInfo ?? {};
  // biome-ignore lint/correctness/useExhaustiveDependencies: one page after the other
  useEffect(() => {
    if (hasNextPage && endCursor) pages.load(ComponentChoiceQuery, { by, after: endCursor });
  }, [hasNextPage, endCursor]);
  return list?.nodes;
}
