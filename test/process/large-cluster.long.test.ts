import { testLargeCluster } from '../support/large-cluster.ts';
import { startsProcesses } from '../support/starts-processes.ts';

startsProcesses();

testLargeCluster(1_000, 512);
