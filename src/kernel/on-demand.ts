/**
 * A value that is loaded when it is first needed, and again after `lifeMs`. After a failure, such as too many open files, it is
 * tried again.
 */
export function onDemand<T>(
  load: () => Promise<T>,
  { lifeMs = Number.POSITIVE_INFINITY }: { lifeMs?: number } = {},
): () => Promise<T> {
  let loaded: { value: Promise<T>; until: number } | undefined;
  return () => {
    if (loaded && loaded.until > performance.now()) return loaded.value;
    const own = { value: load(), until: performance.now() + lifeMs };
    loaded = own;
    own.value.catch(() => {
      if (loaded === own) loaded = undefined;
    });
    return own.value;
  };
}
