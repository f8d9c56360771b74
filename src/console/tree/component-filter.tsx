import type { ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { strings } from '../strings.ts';
import { Choice } from '../ui/choice.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { setParam } from '../ui/set-param.ts';

const text = strings.application;
const states = ['RUNNING', 'STOPPED', 'NOT_DEPLOYED'] as const;
const orders = ['NAME', 'CREATED_AT'] as const;

/** The filter of the components of an application, which is in the address. */
export function useComponentFilter() {
  const [params, setParams] = useSearchParams();
  const search = params.get('search') ?? '';
  const state = states.find((each) => each === params.get('state'));
  const order = orders.find((each) => each === params.get('order'));
  const filter = {
    ...(search && { search }),
    ...(state && { state }),
    ...(order && {
      order: { field: order, direction: order === 'NAME' ? ('ASC' as const) : ('DESC' as const) },
    }),
  };
  return { filter, isFiltered: Boolean(search || state), search, state, order, set: setParam(setParams) };
}

interface Props extends ReturnType<typeof useComponentFilter> {
  children?: ReactNode;
}

export function ComponentFilterBar({ search, state, order, set, children }: Props) {
  return (
    <search className="row wrap filter-bar">
      <SearchField label={text.filter} value={search} change={(value) => set('search', value)} />
      <Choice
        label={text.stateLabel}
        options={states}
        texts={strings.status}
        value={state}
        change={(value) => set('state', value)}
        none={strings.tree.anyStatus}
      />
      <Choice
        label={strings.tree.orderLabel}
        options={orders}
        texts={text.orders}
        value={order}
        change={(value) => set('order', value)}
      />
      {children}
    </search>
  );
}
