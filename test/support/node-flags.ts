/**
 * How Node is started in tests. Prisma's query compiler is WebAssembly, which V8 would by default compile a second time, on
 * all cores: a third of the work of starting Trellis, and of no use to a process that soon ends.
 */
export const nodeFlags = ['--liftoff-only'];

/**
 * The same for the processes that tests run in, which make and drop much: with more room for what is new, the garbage
 * collector moves less of it.
 */
export const workerFlags = [...nodeFlags, '--min-semi-space-size=32', '--max-semi-space-size=64'];

/**
 * For a process that one test starts from the bundle, which sets its other flags itself (see bundle-loader.cjs): the heap
 * of a server that has just started fits, so that its garbage is not collected meanwhile.
 */
export const processFlags = ['--initial-old-space-size=128'];
