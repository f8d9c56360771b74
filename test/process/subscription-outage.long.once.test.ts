import { startsProcesses } from '../support/starts-processes.ts';
import { testSubscriptionOutages } from '../support/subscription-outage.ts';

startsProcesses();

testSubscriptionOutages(['freezes', 'stops', 'restarts']);
