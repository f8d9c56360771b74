import { strings } from '../strings.ts';
import { download } from '../ui/download.ts';

/** Downloads a manifest as a file with the name of its application. */
export function DownloadButton({ name = 'manifest', document }: { name?: string; document: string }) {
  return (
    <button
      type="button"
      className="button small"
      onClick={() => download(`${name}.yaml`, 'application/yaml', document)}
    >
      {strings.common.download}
    </button>
  );
}
