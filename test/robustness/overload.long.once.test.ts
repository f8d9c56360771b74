import { testOverload } from '../support/overload.ts';
import { startsProcesses } from '../support/starts-processes.ts';

startsProcesses();

testOverload({ components: 20_000, atOnce: 20 });
