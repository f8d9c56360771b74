import { startsProcesses } from '../../support/starts-processes.ts';
import { describeKills } from '../../support/store-kills.ts';

startsProcesses();

describeKills({ size: 150, moments: [0, 50, 125, 250, 450, 'answered'], bothSides: true });
