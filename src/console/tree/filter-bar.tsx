import type { ReactNode } from 'react';
import { strings } from '../strings.ts';
import { type Filter, FilterBar, FilterCheck, FilterChoice, useFilter } from '../ui/filter.tsx';
import type { TreeFilter } from './rows.tsx';

const text = strings.tree;
const statuses = [
  'RUNNING',
  'PARTLY_RUNNING',
  'PARTLY_UNHEALTHY',
  'UNHEALTHY',
  'STOPPED',
  'NOT_DEPLOYED',
  'EMPTY',
] as const;
const orders = ['INDEX', 'NAME', 'CREATED_AT'] as const;

/** The filter of a tree, with the variables of its query. */
export function useTreeFilter() {
  const filter = useFilter();
  const { search } = filter;
  const state = filter.valueOf('status', statuses);
  const order = filter.valueOf('order', orders);
  const hasProblems = filter.isSet('problems');
  const variables: TreeFilter = {
    ...(search && { search }),
    ...(state && { state }),
    ...(hasProblems && { hasProblems }),
    ...(order && { order: { field: order, direction: order === 'CREATED_AT' ? 'DESC' : 'ASC' } }),
  };
  return { filter, variables, isFiltered: Boolean(search || state || hasProblems) };
}

export const TreeFilterBar = ({ filter, children }: { filter: Filter; children?: ReactNode }) => (
  <FilterBar label={text.filter} filter={filter}>
    <FilterChoice
      filter={filter}
      name="status"
      label={text.statusLabel}
      options={statuses}
      texts={strings.status}
      none={text.anyStatus}
    />
    <FilterCheck filter={filter} name="problems" label={text.withProblems} />
    <FilterChoice filter={filter} name="order" label={text.orderLabel} options={orders} texts={text.orders} />
    {children}
  </FilterBar>
);
