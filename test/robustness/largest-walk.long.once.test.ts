import { testLargestOfAll } from '../support/largest-walk.ts';
import { startsProcesses } from '../support/starts-processes.ts';

startsProcesses();

testLargestOfAll({ heapMiB: 512, files: 300 });
