import { testLargestOfAll } from '../support/largest-walk.ts';
import { startsProcesses } from '../support/starts-processes.ts';

startsProcesses();

testLargestOfAll({ heapMiB: 512, files: 300, deployedBytes: 2_900_000, atOnce: 8 }, 500);
