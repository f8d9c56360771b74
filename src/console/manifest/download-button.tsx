import { strings } from '../strings.ts';
import { Button } from '../ui/controls.tsx';
import { download } from '../ui/download.ts';

/** Downloads a manifest as a file with the name of its application. */
export function DownloadButton({ name = 'manifest', document }: { name?: string; document: string }) {
  return (
    <Button look="small" onClick={() => download(`${name}.yaml`, 'application/yaml', document)}>
      {strings.common.download}
    </Button>
  );
}
