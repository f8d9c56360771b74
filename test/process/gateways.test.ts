import { testManyGateways } from '../support/many-gateways.ts';
import { startsProcesses } from '../support/starts-processes.ts';

startsProcesses();

testManyGateways(100);
