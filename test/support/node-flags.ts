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

/** The same as the first for a process that one test starts: most end before code that V8 optimizes has paid for itself. */
export const processFlags = [...nodeFlags, '--interrupt-budget=1000000'];
