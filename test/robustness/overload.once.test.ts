import { testOverload } from '../support/overload.ts';
import { startsProcesses } from '../support/starts-processes.ts';

startsProcesses();

testOverload({ components: 200, atOnce: 4 });
