import { Notice } from './blocks.tsx';
import { CopyButton } from './copy-button.tsx';

/** A secret that the gateway shows once, with a button that copies it. */
export function ShownOnce({ value, notice }: { value: string; notice: string }) {
  return (
    <>
      <Notice tone="warn">{notice}</Notice>
      <div className="copied">
        <code className="mono">{value}</code>
        <CopyButton value={value} />
      </div>
    </>
  );
}
