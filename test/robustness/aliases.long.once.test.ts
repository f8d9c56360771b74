import { testAliasesOfEveryType } from '../support/aliases.ts';
import { startsProcesses } from '../support/starts-processes.ts';

startsProcesses();

testAliasesOfEveryType();
