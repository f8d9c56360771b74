import { useQuery } from 'urql';
import { useAllPages } from '../../api/view.ts';
import { ComponentChoiceQuery } from '../../documents/create.ts';

/** The components of an application, all pages of them. */
export function useComponents(appId: number) {
  const by = { appId };
  const [{ data }] = useQuery({ query: ComponentChoiceQuery, variables: { by } });
  const list = data?.application?.components;
  useAllPages(list, ComponentChoiceQuery, (after) => ({ by, after }));
  return list?.nodes;
}
