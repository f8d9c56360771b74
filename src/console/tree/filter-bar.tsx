import type { ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { strings } from '../strings.ts';
import { Choice } from '../ui/choice.tsx';
import { Check } from '../ui/controls.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { setParam } from '../ui/set-param.ts';
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

/** The filter of a tree, which is in the address: a link shows the same. */
export function useTreeFilter() {
  const [params, setParams] = useSearchParams();
  const status = statuses.find((each) => each === params.get('status'));
  const order = orders.find((each) => each === params.get('order'));
  const search = params.get('search') ?? '';
  const hasProblems = params.get('problems') === 'only';
  const filter: TreeFilter = {
    ...(search && { search }),
    ...(status && { state: status }),
    ...(hasProblems && { hasProblems }),
    ...(order && { order: { field: order, direction: order === 'CREATED_AT' ? 'DESC' : 'ASC' } }),
  };
  const isFiltered = Boolean(search || status || hasProblems);
  return { filter, isFiltered, search, status, hasProblems, order, set: setParam(setParams) };
}

interface Props extends ReturnType<typeof useTreeFilter> {
  children?: ReactNode;
}

export function FilterBar({ search, status, hasProblems, order, set, children }: Props) {
  return (
    <search className="row wrap filter-bar">
      <SearchField label={text.filter} value={search} change={(value) => set('search', value)} />
      <Choice
        label={text.statusLabel}
        options={statuses}
        texts={strings.status}
        value={status}
        change={(value) => set('status', value)}
        none={text.anyStatus}
      />
      <Check
        label={text.withProblems}
        checked={hasProblems}
        change={(isChecked) => set('problems', isChecked ? 'only' : '')}
      />
      <Choice
        label={text.orderLabel}
        options={orders}
        texts={text.orders}
        value={order}
        change={(value) => set('order', value)}
      />
      {children}
    </search>
  );
}
