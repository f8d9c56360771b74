import { testMigrateKills } from '../support/migrate-kills.ts';
import { startsProcesses } from '../support/starts-processes.ts';

startsProcesses();

testMigrateKills({ migrations: 1, firstAdministrator: 1 });
