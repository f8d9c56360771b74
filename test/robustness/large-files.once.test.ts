import { testLargeFiles } from '../support/largest-walk.ts';
import { startsProcesses } from '../support/starts-processes.ts';

startsProcesses();

testLargeFiles({ heapMiB: 160, files: 180 });
