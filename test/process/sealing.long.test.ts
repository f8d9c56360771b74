import { testSealing } from '../support/sealing-gateways.ts';
import { startsProcesses } from '../support/starts-processes.ts';

startsProcesses();

testSealing(100);
