// Loaded into the process under load: on SIGUSR2 it collects garbage, so that what it holds can be read from its metrics.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
process.on('SIGUSR2', () => {
  collect();
  process.stdout.write('collected\n');
});
