import { testClusterGateways } from '../support/cluster-gateways.ts';
import { startsProcesses } from '../support/starts-processes.ts';

startsProcesses();

testClusterGateways(64);
