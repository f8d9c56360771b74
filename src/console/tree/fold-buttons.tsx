import { strings } from '../strings.ts';

/** Opens or closes all rows of a tree. */
export function FoldButtons({ openAll }: { openAll(isOpen: boolean): void }) {
  return (
    <div className="row fold-buttons">
      <button type="button" className="button quiet small" onClick={() => openAll(true)}>
        {strings.tree.expandAll}
      </button>
      <button type="button" className="button quiet small" onClick={() => openAll(false)}>
        {strings.tree.collapseAll}
      </button>
    </div>
  );
}
