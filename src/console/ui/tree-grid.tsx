import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { strings } from '../strings.ts';
import { followRow } from './follow-row.ts';
import { ChevronIcon } from './icons.tsx';
import { LoadMore } from './load-more.tsx';

/** A row of a tree. */
export interface TreeRow {
  id: string;
  href: string;
  icon: ReactNode;
  /** Whether it is set off from the rows below it. */
  isHeading?: boolean;
  name: ReactNode;
  status?: ReactNode;
  detail?: ReactNode;
  extra?: ReactNode;
  /** Undefined for a row that never has any. */
  children?: readonly TreeRow[];
  /** Shown instead of children if there are none. */
  empty?: string;
  /** Loads the rest of the children. */
  more?: { count: number; load(): void };
}

/** A row as it is shown. */
interface Shown {
  row: TreeRow;
  level: number;
  position: number;
  size: number;
  parent: number;
}

type Line = Shown | { after: TreeRow; level: number };

/** Collapsible rows that the arrow keys walk through. @see https://www.w3.org/WAI/ARIA/apg/patterns/treegrid/ */
export function TreeGrid({ label, columns, rows, more, isOpen, toggle }: TreeGridProps) {
  const root = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState('');
  const [, navigate] = useLocation();
  const lines = linesOf(rows, isOpen);
  const shown = lines.filter((line): line is Shown => 'row' in line);
  const current = Math.max(
    0,
    shown.findIndex(({ row }) => row.id === active),
  );

  const move = (index: number) => {
    const target = shown[Math.min(Math.max(index, 0), shown.length - 1)];
    if (!target) return;
    setActive(target.row.id);
    root.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(target.row.id)}"]`)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const here = shown[current];
    if (!here || event.ctrlKey || event.metaKey || event.altKey) return;
    // A link or button in a row handles its own Enter.
    if (event.key === 'Enter' && (event.target as Element).closest('a, button')) return;
    const { row, parent } = here;
    const keys: Record<string, () => void> = {
      ArrowDown: () => move(current + 1),
      ArrowUp: () => move(current - 1),
      Home: () => move(0),
      End: () => move(shown.length - 1),
      ArrowRight: () => {
        if (row.children && !isOpen(row.id)) toggle(row.id);
        else if (row.children?.length) move(current + 1);
      },
      ArrowLeft: () => {
        if (row.children && isOpen(row.id)) toggle(row.id);
        else move(parent);
      },
      Enter: () => navigate(row.href),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };

  return (
    <div className="card tree-card">
      <div
        className="tree"
        role="treegrid"
        aria-label={label}
        ref={root}
        onKeyDown={onKeyDown}
        onClick={followRow}
      >
        <div className="tree-row tree-head" role="row">
          {columns.map((column) => (
            <span key={column} role="columnheader">
              {column}
            </span>
          ))}
        </div>
        {lines.map((line) =>
          'row' in line ? (
            <RowLine
              key={line.row.id}
              line={line}
              isActive={line === shown[current]}
              isOpen={isOpen(line.row.id)}
              toggle={() => toggle(line.row.id)}
              focus={() => setActive(line.row.id)}
            />
          ) : (
            <RestLine key={`${line.after.id} rest`} row={line.after} level={line.level} />
          ),
        )}
      </div>
      {more && <LoadMore {...more} />}
    </div>
  );
}
interface TreeGridProps {
  label: string;
  columns: readonly string[];
  rows: readonly TreeRow[];
  more?: TreeRow['more'];
  isOpen(id: string): boolean;
  toggle(id: string): void;
}

function linesOf(rows: readonly TreeRow[], isOpen: (id: string) => boolean): Line[] {
  const lines: Line[] = [];
  let index = 0;
  const add = (siblings: readonly TreeRow[], level: number, parent: number, rest: number) => {
    for (const [at, row] of siblings.entries()) {
      const own = index++;
      lines.push({ row, level, position: at + 1, size: siblings.length + rest, parent });
      if (!row.children || !isOpen(row.id)) continue;
      add(row.children, level + 1, own, row.more?.count ?? 0);
      if (row.more || row.children.length === 0) lines.push({ after: row, level: level + 1 });
    }
  };
  add(rows, 1, 0, 0);
  return lines;
}

function RowLine({ line, isActive, isOpen, toggle, focus }: RowLineProps) {
  const { row, level, position, size } = line;
  const canOpen = row.children !== undefined;
  return (
    <div
      role="row"
      className={`tree-row level-${level} ${row.isHeading ? 'heading' : ''}`}
      data-row={row.id}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={size}
      aria-expanded={canOpen ? isOpen : undefined}
      tabIndex={isActive ? 0 : -1}
      onFocus={focus}
    >
      <span role="gridcell" tabIndex={-1} className="tree-name" style={{ paddingLeft: (level - 1) * 22 }}>
        {canOpen ? (
          <button
            type="button"
            className="tree-toggle"
            tabIndex={-1}
            aria-label={isOpen ? strings.tree.collapse : strings.tree.expand}
            data-open={isOpen}
            onClick={toggle}
          >
            <ChevronIcon />
          </button>
        ) : (
          <span className="tree-toggle" />
        )}
        <span className="tree-icon">{row.icon}</span>
        <Link href={row.href} tabIndex={-1} className="truncate row-link">
          {row.name}
        </Link>
      </span>
      <span role="gridcell" tabIndex={-1}>
        {row.status}
      </span>
      <span role="gridcell" tabIndex={-1} className="truncate soft tree-detail">
        {row.detail}
      </span>
      <span role="gridcell" tabIndex={-1} className="truncate tree-extra">
        {row.extra}
      </span>
    </div>
  );
}
interface RowLineProps {
  line: Shown;
  isActive: boolean;
  isOpen: boolean;
  toggle(): void;
  focus(): void;
}

/** What follows the last child: the rest of them, or that there are none. */
function RestLine({ row, level }: { row: TreeRow; level: number }) {
  return (
    <div role="row" className="tree-row" aria-level={level}>
      <span role="gridcell" className="tree-name soft" style={{ paddingLeft: (level - 1) * 22 + 24 }}>
        {row.more ? <LoadMore {...row.more} /> : row.empty}
      </span>
    </div>
  );
}
