import { testLargeFiles } from '../support/largest-walk.ts';
import { startsProcesses } from '../support/starts-processes.ts';

startsProcesses();

testLargeFiles({ heapMiB: 128, files: 90, deployedBytes: 1_200_000, atOnce: 4 });
