import type { ReactNode } from 'react';
import { followRow } from './follow-row.ts';

export interface TableProps<Row, Name extends string> {
  label: string;
  /** The titles of the columns, in their order. */
  columns: { readonly [name in Name]: string };
  /** Shown in place of a table without rows. */
  empty: string;
  rows: readonly Row[];
  cells(row: Row, index: number): { readonly [name in Name]: ReactNode };
  /** The classes of the cells of a column. */
  classes?: { readonly [name in Name]?: string };
  /** What distinguishes rows without an `id`. */
  keyOf?(row: Row): string;
}

/**
 * A table, or what is shown when it has no rows. A phone shows it as a list, in which each value has the name of its column.
 * A click anywhere on a row follows the link in it that has the class `row-link`.
 */
export function Table<Row, Name extends string>({
  label,
  columns,
  empty,
  rows,
  cells,
  classes,
  keyOf = (row) => (row as { id: string }).id,
}: TableProps<Row, Name>) {
  if (rows.length === 0) return <div className="card blank small soft">{empty}</div>;
  const names = Object.keys(columns) as Name[];
  return (
    // A keyboard can scroll what is wider than a phone.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section className="card table-scroll" tabIndex={0} aria-label={label}>
      <table className="table">
        <thead>
          <tr>
            {names.map((name) => (
              <th key={name} scope="col">
                {columns[name]}
              </th>
            ))}
          </tr>
        </thead>
        {/* The links themselves are for the keyboard. */}
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: see above */}
        <tbody onClick={followRow}>
          {rows.map((row, index) => {
            const content = cells(row, index);
            return (
              <tr key={keyOf(row)}>
                {names.map((name) => (
                  <td key={name} data-label={columns[name]} className={classes?.[name]}>
                    {content[name]}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
