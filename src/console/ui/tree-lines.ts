import type { ReactNode } from 'react';

/** A row of a tree. What only rows in sight need is made when it is asked for. */
export interface TreeRow {
  id: string;
  href: string;
  /** Whether it is set off from the rows below it. */
  isHeading?: boolean;
  /** The page of its list that it was read with, if that is not the first one. */
  page?: string | undefined;
  cells(): TreeCells;
  /** Undefined for a row that never has any. */
  children?(): TreeChildren;
}

interface TreeCells {
  icon: ReactNode;
  name: ReactNode;
  status?: ReactNode;
  detail?: ReactNode;
  extra?: ReactNode;
}

export interface TreeChildren {
  rows: readonly TreeRow[];
  /** Loads the rest of them. */
  more?: Rest | undefined;
  /** Shown if there are none. */
  empty: string;
}

export interface Rest {
  count: number;
  load(): void;
}

export interface RowLine {
  row: TreeRow;
  level: number;
  position: number;
  size: number;
  /** The index of the line that it is below. */
  parent: number;
}

/** The line after the last child of a row: the rest of the children, or that there are none. */
export interface RestLine {
  after: TreeRow;
  children: TreeChildren;
  level: number;
  parent: number;
}

export type Line = RowLine | RestLine;

export const isRow = (line: Line | undefined): line is RowLine => line !== undefined && 'row' in line;

export function linesOf(rows: readonly TreeRow[], rest: number, isOpen: (id: string) => boolean): Line[] {
  const lines: Line[] = [];
  const add = (siblings: readonly TreeRow[], level: number, parent: number, rest: number) => {
    for (const [at, row] of siblings.entries()) {
      const index = lines.length;
      lines.push({ row, level, position: at + 1, size: siblings.length + rest, parent });
      if (!row.children || !isOpen(row.id)) continue;
      const children = row.children();
      add(children.rows, level + 1, index, children.more?.count ?? 0);
      if (children.more || children.rows.length === 0)
        lines.push({ after: row, children, level: level + 1, parent: index });
    }
  };
  add(rows, 1, -1, rest);
  return lines;
}

/** The index of the next row from here, or of the one from here if there is none. */
export function rowFrom(lines: readonly Line[], from: number, step: 1 | -1): number {
  for (let index = from + step; index >= 0 && index < lines.length; index += step)
    if (isRow(lines[index])) return index;
  return from;
}

/** The pages of lists that the lines between two indices, and what these are below, were read with. */
export function pagesOf(lines: readonly Line[], from: number, to: number): Set<string> {
  const pages = new Set<string>();
  const add = (index: number) => {
    const line = lines[index];
    if (!line) return;
    if (isRow(line) && line.row.page !== undefined) pages.add(line.row.page);
    add(line.parent);
  };
  for (let index = from; index < to; index++) add(index);
  return pages;
}
