/**
 * Does work when the process of a worker ends, after its last file: Vitest waits for it. What files share is closed then.
 * Vitest has this for its environments and runners only.
 */
export function onWorkerEnd(work: () => unknown): void {
  const { __vitest_worker__: worker } = globalThis as unknown as {
    __vitest_worker__: { onCleanup(work: () => unknown): void };
  };
  worker.onCleanup(work);
  // What is shared would keep the process when that of the run was killed.
  process.once('disconnect', () => process.kill(process.pid));
}
