import { type KeyboardEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { followRow } from './follow-row.ts';
import { LoadMore } from './load-more.tsx';
import { isRow, linesOf, pagesOf, type Rest, rowFrom, type TreeRow } from './tree-lines.ts';
import { TreeRestView, TreeRowView } from './tree-row.tsx';
import { useNarrow, useWindow } from './use-window.ts';

/** How high a line is: on a phone it has two lines of text. */
const [lineHeight, narrowLineHeight] = [36, 56];
/** How long the same lines must be in sight before their pages are followed. */
const restMs = 120;

interface TreeGridProps {
  label: string;
  columns: readonly string[];
  rows: readonly TreeRow[];
  more?: Rest | undefined;
  isOpen(id: string): boolean;
  toggle(id: string): void;
  /** Takes the pages of lists that are in sight. */
  see(pages: ReadonlySet<string>): void;
}

/**
 * Collapsible rows that the arrow keys walk through. Only those in the window and the one with the focus are in the page, so
 * that there can be any number of them. @see https://www.w3.org/WAI/ARIA/apg/patterns/treegrid/
 */
export function TreeGrid({ label, columns, rows, more, isOpen, toggle, see }: TreeGridProps) {
  const root = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState('');
  const [, navigate] = useLocation();
  const rest = more?.count ?? 0;
  const lines = useMemo(() => linesOf(rows, rest, isOpen), [rows, rest, isOpen]);
  const height = useNarrow() ? narrowLineHeight : lineHeight;
  const [from, to] = useWindow(body, lines, height);
  const current = useMemo(
    () =>
      Math.max(
        0,
        lines.findIndex((line) => isRow(line) && line.row.id === active),
      ),
    [lines, active],
  );

  useEffect(() => {
    const timer = setTimeout(() => see(pagesOf(lines, from, to)), restMs);
    return () => clearTimeout(timer);
  }, [lines, from, to, see]);

  // A row that is out of sight has to be made before it can have the focus.
  const wanted = useRef<string>(undefined);
  const focusWanted = () => {
    if (wanted.current === undefined) return;
    const row = root.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(wanted.current)}"]`);
    if (!row) return;
    wanted.current = undefined;
    row.focus();
  };
  useLayoutEffect(focusWanted);
  const move = (index: number) => {
    const line = lines[index];
    if (!isRow(line)) return;
    wanted.current = line.row.id;
    setActive(line.row.id);
    focusWanted();
  };

  // The key End leads to the last row that is loaded, and on while more are, until something else is done.
  const endedAt = useRef<number>(undefined);
  const moveToEnd = () => {
    move(rowFrom(lines, lines.length, -1));
    endedAt.current = more && lines.length;
    more?.load();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: when there are more lines
  useEffect(() => {
    if (endedAt.current !== undefined && lines.length > endedAt.current) moveToEnd();
  }, [lines.length]);
  useEffect(() => {
    const stop = () => {
      endedAt.current = undefined;
    };
    const events = ['keydown', 'pointerdown', 'wheel'] as const;
    for (const event of events) addEventListener(event, stop, { capture: true, passive: true });
    return () => {
      for (const event of events) removeEventListener(event, stop, { capture: true });
    };
  }, []);

  const onKeyDown = (event: KeyboardEvent) => {
    const here = lines[current];
    if (!isRow(here) || event.ctrlKey || event.metaKey || event.altKey) return;
    // A link or button in a row handles its own Enter.
    if (event.key === 'Enter' && (event.target as Element).closest('a, button')) return;
    const { row, parent } = here;
    const keys: Record<string, () => void> = {
      ArrowDown: () => move(rowFrom(lines, current, 1)),
      ArrowUp: () => move(rowFrom(lines, current, -1)),
      Home: () => move(0),
      End: moveToEnd,
      ArrowRight: () => {
        if (row.children && !isOpen(row.id)) toggle(row.id);
        else if (lines[current + 1]?.parent === current) move(current + 1);
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

  const inSight = new Set(Array.from({ length: to - from }, (_, index) => from + index)).add(current);
  return (
    <div className="card tree-card">
      <div
        className="tree"
        role="treegrid"
        aria-label={label}
        aria-rowcount={lines.length + 1}
        ref={root}
        onKeyDown={onKeyDown}
        onClick={followRow}
      >
        <div className="tree-row tree-head" role="row" aria-rowindex={1}>
          {columns.map((column) => (
            <span key={column} role="columnheader">
              {column}
            </span>
          ))}
        </div>
        <div ref={body} role="rowgroup" className="tree-body" style={{ height: lines.length * height }}>
          {[...inSight]
            .sort((one, other) => one - other)
            .map((index) => {
              const line = lines[index];
              const place = { number: index + 2, style: { top: index * height, height } };
              if (line === undefined) return null;
              return isRow(line) ? (
                <TreeRowView
                  key={line.row.id}
                  {...place}
                  line={line}
                  isActive={index === current}
                  isOpen={isOpen(line.row.id)}
                  toggle={() => toggle(line.row.id)}
                  focus={() => setActive(line.row.id)}
                />
              ) : (
                <TreeRestView key={`${line.after.id} rest`} {...place} line={line} />
              );
            })}
        </div>
      </div>
      {more && <LoadMore {...more} />}
    </div>
  );
}
