// Loaded into a gateway: on SIGUSR2, it prints how many statements it has sent since the last time, and reads from TEST_KILL_FILE
// before which statement from now on it kills itself.
import { readFileSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import pg from 'pg';

let count = 0;
let last = Number.POSITIVE_INFINITY;
function counted(object, method) {
  const original = object[method];
  object[method] = function (...args) {
    if (++count === last) process.kill(process.pid, 'SIGKILL');
    return original.apply(this, args);
  };
}
const statement = Object.getPrototypeOf(new Sqlite(':memory:').prepare('SELECT 1'));
for (const method of ['run', 'get', 'all', 'iterate']) counted(statement, method);
counted(Sqlite.prototype, 'exec');
counted(pg.Client.prototype, 'query');

process.on('SIGUSR2', () => {
  last = Number(readFileSync(process.env.TEST_KILL_FILE, 'utf8'));
  process.stdout.write(`{"msg":"statements","count":${count}}\n`);
  count = 0;
});
