// npm run check: format and lint, the types of the server and of the console, and what nothing uses.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

async function succeeds(...args) {
  const [code] = await once(
    spawn(process.execPath, args, {
      stdio: 'inherit',
      // The compiler needs most of its memory until it ends: collecting garbage costs a quarter of its time and frees little.
      env: { ...process.env, GOGC: 'off', GOMEMLIMIT: '3GiB' },
    }),
    'exit',
  );
  return code === 0;
}

// By itself the compiler divides each project among all cores, where every part infers the same types again: twice the work.
const typesOf = (project) =>
  succeeds('node_modules/typescript-cli/bin/tsc', '-p', project, '--noEmit', '--checkers', '1');
const unused = (...options) => succeeds('node_modules/knip/bin/knip.js', '--no-config-hints', ...options);

// The types of the schema, which the console and the tests of it need.
const hasSchemaTypes = await succeeds('node_modules/tsx/dist/cli.mjs', 'src/console/check.mjs');
const results = await Promise.all([
  typesOf('.'),
  typesOf('src/console'),
  (async () => (await unused()) && (await unused('--production')))(),
]);
process.exitCode = hasSchemaTypes && results.every(Boolean) ? 0 : 1;
