import { strings } from '../strings.ts';
import { Button } from '../ui/controls.tsx';

/** Opens or closes all rows of a tree. */
export function FoldButtons({ openAll }: { openAll(isOpen: boolean): void }) {
  return (
    <div className="row fold-buttons">
      <Button look="quiet small" onClick={() => openAll(true)}>
        {strings.tree.expandAll}
      </Button>
      <Button look="quiet small" onClick={() => openAll(false)}>
        {strings.tree.collapseAll}
      </Button>
    </div>
  );
}
