import type { ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { type ViewOf, ViewState } from './blocks.tsx';
import { HomeHead } from './home-head.tsx';
import { LoadMore } from './load-more.tsx';
import { SearchField } from './search-field.tsx';
import { setParam } from './set-param.ts';
import type { Rest } from './tree-lines.ts';

/** The search of a page, which is part of its address. */
export function useSearch(label: string) {
  const [params, setParams] = useSearchParams();
  const value = params.get('search') ?? '';
  return {
    label,
    value,
    change: (typed: string) => setParam(setParams)('search', typed),
    variables: value ? { search: value } : {},
  };
}

interface Props {
  tab: Parameters<typeof HomeHead>[0]['tab'];
  actions: ReactNode;
  search: ReturnType<typeof useSearch>;
  view: ViewOf;
  /** The rest of the list, beyond the pages that are shown. */
  more: Rest | null | undefined;
  children: ReactNode;
}

/** A page with a list that belongs to no team and can be searched. */
export function HomeList({ tab, actions, search, view, more, children }: Props) {
  const { label, value, change } = search;
  return (
    <>
      <HomeHead tab={tab} actions={actions} />
      <search className="row wrap filter-bar">
        <SearchField label={label} value={value} change={change} />
      </search>
      <ViewState view={view} />
      {children}
      {more && <LoadMore {...more} />}
    </>
  );
}
