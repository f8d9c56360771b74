import { startsProcesses } from '../../support/starts-processes.ts';
import { describeKills } from '../../support/store-kills.ts';

startsProcesses();

// kills.long.test.ts kills at more moments, of larger templates.
describeKills({ size: 40, moments: [50], bothSides: false });
