import type { CSSProperties } from 'react';
import { Link } from 'wouter';
import { strings } from '../strings.ts';
import { ChevronIcon } from './icons.tsx';
import { LoadMore } from './load-more.tsx';
import type { RestLine, RowLine } from './tree-lines.ts';

interface RowPosition {
  /** The number of the row in the grid, whose head is the first one. */
  number: number;
  level: number;
  style: CSSProperties;
}

const styleOf = ({ level, style }: RowPosition) => ({ ...style, '--level': level - 1 }) as CSSProperties;

export function TreeRowView({ line, number, style, isActive, isOpen, toggle, focus }: RowProps) {
  const { row, level, position, size } = line;
  const { icon, name, status, detail, extra } = row.cells();
  const canOpen = row.children !== undefined;
  return (
    <div
      role="row"
      className={`tree-row level-${level} ${row.isHeading ? 'heading' : ''}`}
      style={styleOf({ number, level, style })}
      data-row={row.id}
      aria-rowindex={number}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={size}
      aria-expanded={canOpen ? isOpen : undefined}
      tabIndex={isActive ? 0 : -1}
      onFocus={focus}
    >
      <span className="tree-part">
        <span role="gridcell" tabIndex={-1} className="tree-name">
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
          <span className="tree-icon">{icon}</span>
          <Link href={row.href} tabIndex={-1} className="truncate row-link">
            {name}
          </Link>
        </span>
        <span role="gridcell" tabIndex={-1}>
          {status}
        </span>
      </span>
      <span className="tree-part">
        <span role="gridcell" tabIndex={-1} className="truncate soft tree-detail">
          {detail}
        </span>
        <span role="gridcell" tabIndex={-1} className="truncate tree-extra">
          {extra}
        </span>
      </span>
    </div>
  );
}
interface RowProps extends Omit<RowPosition, 'level'> {
  line: RowLine;
  isActive: boolean;
  isOpen: boolean;
  toggle(): void;
  focus(): void;
}

export function TreeRestView({ line, number, style }: RestProps) {
  const { children, level } = line;
  return (
    <div
      role="row"
      className="tree-row"
      style={styleOf({ number, level, style })}
      aria-rowindex={number}
      aria-level={level}
    >
      <span role="gridcell" className="tree-name tree-rest soft">
        {children.more ? <LoadMore {...children.more} /> : children.empty}
      </span>
    </div>
  );
}
interface RestProps extends Omit<RowPosition, 'level'> {
  line: RestLine;
}
