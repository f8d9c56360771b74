// npm run check: the types of the server and of the console at once. By itself the compiler divides each among all
// cores, where every part infers the same types again: twice the work.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

async function succeeds(...args) {
  const [code] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit');
  return code === 0;
}

const typesOf = (project) =>
  succeeds('node_modules/typescript-cli/bin/tsc', '-p', project, '--noEmit', '--checkers', '1');

// The types of the schema, which the console and the tests of it need.
const hasSchemaTypes = await succeeds('node_modules/tsx/dist/cli.mjs', 'src/console/check.mjs');
const results = await Promise.all([typesOf('.'), typesOf('src/console')]);
process.exitCode = hasSchemaTypes && results.every(Boolean) ? 0 : 1;
