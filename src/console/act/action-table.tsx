import { strings } from '../strings.ts';
import { Table, type TableProps } from '../ui/table.tsx';
import { ActionBar, type Item } from './action-bar.tsx';

interface Props<Row, Name extends string> extends TableProps<Row, Name> {
  /** What can be done with the object of a row. Without it, there is no column for it. */
  itemsOf: false | ((row: Row) => readonly Item[]);
}

/** A table with what can be done with the object of each row. */
export function ActionTable<Row, Name extends string>({ itemsOf, ...table }: Props<Row, Name>) {
  if (!itemsOf) return <Table {...table} />;
  return (
    <Table
      {...(table as unknown as TableProps<Row, string>)}
      columns={{ ...table.columns, actions: strings.common.actions }}
      cells={(row, index) => ({
        ...table.cells(row, index),
        actions: (
          <span className="row">
            <ActionBar isSmall items={itemsOf(row)} />
          </span>
        ),
      })}
      classes={{ ...table.classes, actions: 'row-actions' }}
    />
  );
}
