import { useEffect } from 'react';
import { useQuery } from 'urql';
import { usePages } from '../../../api/view.ts';
import { VariablesQuery } from '../../../documents/act-component.ts';
import type { Variable } from './edits.ts';

/** All variables of a component but those that Trellis derives, which are loaded page by page. */
export function useVariables(uid: string): Variable[] | undefined {
  const by = { componentId: uid };
  const [{ data }] = useQuery({ query: VariablesQuery, variables: { by } });
  const pages = usePages();
  const list = data?.component?.variables;
  const { hasNextPage, endCursor } = list?.pageInfo ?? {};
  // biome-ignore lint/correctness/useExhaustiveDependencies: one page after the other
  useEffect(() => {
    if (hasNextPage && endCursor) pages.load(VariablesQuery, { by, after: endCursor });
  }, [hasNextPage, endCursor]);
  return hasNextPage ? undefined : list?.nodes.filter(({ isDerived }) => !isDerived);
}
