import type { ReactNode } from 'react';
import { Section } from '../ui/blocks.tsx';
import { LoadMore } from '../ui/load-more.tsx';
import type { TableProps } from '../ui/table.tsx';
import type { Rest } from '../ui/tree-lines.ts';
import { ActionBar, type Item } from './action-bar.tsx';
import { ActionTable } from './action-table.tsx';

interface Props<Row, Name extends string> extends Pick<TableProps<Row, Name>, 'cells' | 'classes' | 'keyOf'> {
  texts: { title: string; columns: { readonly [name in Name]: string }; none: string };
  list: { totalCount: number; nodes: readonly Row[] };
  /** What adds an object to the list. */
  add?: readonly Item[] | false;
  /** What can be done with each object. */
  itemsOf?: false | ((row: Row) => readonly Item[]);
  /** Above the table. */
  intro?: ReactNode;
  more?: Rest | undefined;
  /** Below the table. */
  children?: ReactNode;
}

/** A part of a page with a list of objects, what adds one, and what can be done with each. */
export const Listing = <Row, Name extends string>(props: Props<Row, Name>) => {
  const { texts, list, add, itemsOf = false, intro, more, children, ...table } = props;
  const { title, columns, none } = texts;
  return (
    <Section
      title={title}
      count={list.totalCount}
      empty={list.nodes.length === 0 && none}
      actions={add && <ActionBar isSmall items={add} />}
    >
      {intro}
      {list.nodes.length > 0 && (
        <ActionTable
          label={title}
          columns={columns}
          empty={none}
          rows={list.nodes}
          itemsOf={itemsOf}
          {...table}
        />
      )}
      {more && <LoadMore {...more} />}
      {children}
    </Section>
  );
};
