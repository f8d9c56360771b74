/**
 * How Node is started in tests. Prisma's query compiler is WebAssembly, which V8 would by default compile a second time, on
 * all cores: a third of the work of starting Trellis, and of no use to a process that soon ends.
 */
export const nodeFlags = ['--liftoff-only'];
