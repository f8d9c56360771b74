import { testKills } from '../support/kills.ts';
import { startsProcesses } from '../support/starts-processes.ts';

startsProcesses();

testKills(1);
