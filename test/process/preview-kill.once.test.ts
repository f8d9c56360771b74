import { testPreviewKills } from '../support/preview-kills.ts';
import { startsProcesses } from '../support/starts-processes.ts';

startsProcesses();

testPreviewKills(1, ['open']);
