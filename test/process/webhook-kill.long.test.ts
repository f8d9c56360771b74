import { startsProcesses } from '../support/starts-processes.ts';
import { testWebhookKills } from '../support/webhook-kills.ts';

startsProcesses();

/** `WEBHOOK_KILLS=100` for a longer run. */
testWebhookKills(Number(process.env.WEBHOOK_KILLS ?? 3));
