import { ComponentHead } from './component-head.ts';
import { lookup } from './query.ts';

/** The usage of the instances of a component, at present and over time. */
export const ComponentUsageQuery = lookup('component', 'ComponentUsage', {
  variables: '$last: UsagePeriod!',
  select: `
    ...ComponentHead
    cpuMillicores
    memoryMiB
    usage {
      gap
      cpuMillicores
      memoryMiB
      restarts
      instances { name cpuMillicores memoryMiB restarts measuredAt }
    }
    usageHistory(last: $last) {
      gap
      from
      to
      stepSeconds
      cpuMillicores { at value }
      memoryMiB { at value }
    }
    trafficHistory(last: $last) {
      gap
      from
      to
      stepSeconds
      requestsPerSecond { at value }
      errorsPerSecond { at value }
      latencyP95Ms { at value }
    }
  `,
  fragments: [ComponentHead],
});
