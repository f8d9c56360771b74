import type { ReactNode } from 'react';
import { strings } from '../strings.ts';
import { type Filter, FilterBar, FilterChoice, useFilter } from '../ui/filter.tsx';

const text = strings.application;
const states = ['RUNNING', 'STOPPED', 'NOT_DEPLOYED'] as const;
const orders = ['NAME', 'CREATED_AT'] as const;

/** The filter of the components of an application, with the variables of their query. */
export function useComponentFilter() {
  const filter = useFilter();
  const { search } = filter;
  const state = filter.valueOf('state', states);
  const order = filter.valueOf('order', orders);
  const variables = {
    ...(search && { search }),
    ...(state && { state }),
    ...(order && {
      order: { field: order, direction: order === 'NAME' ? ('ASC' as const) : ('DESC' as const) },
    }),
  };
  return { filter, variables, isFiltered: Boolean(search || state) };
}

export const ComponentFilterBar = ({ filter, children }: { filter: Filter; children?: ReactNode }) => (
  <FilterBar label={text.filter} filter={filter}>
    <FilterChoice
      filter={filter}
      name="state"
      label={text.stateLabel}
      options={states}
      texts={strings.status}
      none={strings.tree.anyStatus}
    />
    <FilterChoice
      filter={filter}
      name="order"
      label={strings.tree.orderLabel}
      options={orders}
      texts={text.orders}
    />
    {children}
  </FilterBar>
);
