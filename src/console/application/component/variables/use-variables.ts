import { useQuery } from 'urql';
import { useAllPages } from '../../../api/view.ts';
import { VariablesQuery } from '../../../documents/act-component.ts';
import type { Variable } from './edits.ts';

/** All variables of a component but those that Trellis derives, which are loaded page by page. */
export function useVariables(uid: string): Variable[] | undefined {
  const by = { componentId: uid };
  const [{ data }] = useQuery({ query: VariablesQuery, variables: { by } });
  const list = data?.component?.variables;
  const isComplete = useAllPages(list, VariablesQuery, (after) => ({ by, after }));
  return isComplete ? list?.nodes.filter(({ isDerived }) => !isDerived) : undefined;
}
