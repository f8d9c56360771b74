import { type ComponentType, lazy, Suspense } from 'react';
import { Loading } from '../ui/blocks.tsx';

/** A page whose code is loaded when it is first shown. */
export function lazyPage<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const Loaded = lazy(async () => ({ default: await load() })) as unknown as ComponentType<Props>;
  return (props) => (
    <Suspense fallback={<Loading />}>
      <Loaded {...props} />
    </Suspense>
  );
}
