import cluster from 'node:cluster';
import { setFlagsFromString } from 'node:v8';

// Under load, V8 would begin to allocate objects of requests among those that live long. Until the next full collection, each of the
// short ones would copy whatever these refer to.
setFlagsFromString('--no-allocation-site-pretenuring');

/** The codes of a process, and of a system, that may not open another file. */
const fileLimits = ['EMFILE', 'ENFILE'];

try {
  // Loaded here, so that a module that cannot be opened is explained like any other failure.
  const { run } = await import('./run.ts');
  await run();
} catch (error) {
  const { name, message, code = '' } = error as Error & { code?: string };
  const reason = fileLimits.includes(code)
    ? `it may open too few files. Raise the limit (\`ulimit -n\`, \`LimitNOFILE\`) to 4096 or more. (${message})`
    : message;
  process.stderr.write(`${name === 'ConfigError' ? message : `Trellis cannot start: ${reason}`}\n`);
  process.exitCode = 1;
  // The connection to the main process would keep a worker alive.
  if (cluster.isWorker) process.exit();
}
