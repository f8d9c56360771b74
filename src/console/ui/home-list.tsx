import type { ReactNode } from 'react';
import { type ViewOf, ViewState } from './blocks.tsx';
import { FilterBar, useFilter } from './filter.tsx';
import { HomeHead } from './home-head.tsx';
import { LoadMore } from './load-more.tsx';
import type { Rest } from './tree-lines.ts';

/** The search of a page, with the variables of its query. */
export function useSearch(label: string) {
  const filter = useFilter();
  const { search } = filter;
  return { label, filter, value: search, variables: search ? { search } : {} };
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
export const HomeList = ({ tab, actions, search, view, more, children }: Props) => (
  <>
    <HomeHead tab={tab} actions={actions} />
    <FilterBar label={search.label} filter={search.filter} />
    <ViewState view={view} />
    {children}
    {more && <LoadMore {...more} />}
  </>
);
