import { type ComponentType, lazy, type ReactNode, Suspense } from 'react';
import { LoadingDialog } from './dialog-frame.tsx';

/** A dialog whose code is loaded when it is first opened. */
export function lazyDialog<Props extends { close(): void }>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => ReactNode {
  const Loaded = lazy(async () => ({ default: await load() })) as unknown as ComponentType<Props>;
  return (props) => (
    <Suspense fallback={<LoadingDialog close={props.close} />}>
      <Loaded {...props} />
    </Suspense>
  );
}
