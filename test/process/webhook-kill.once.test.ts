import { startsProcesses } from '../support/starts-processes.ts';
import { testWebhookKills } from '../support/webhook-kills.ts';

startsProcesses();

testWebhookKills(1);
