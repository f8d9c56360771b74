import type { ProcessTelemetry } from './process-telemetry.ts';

/** Metrics and traces at once. Spans are around what is measured, so that their context covers it. */
export function both(traces: ProcessTelemetry, metrics: ProcessTelemetry): ProcessTelemetry {
  return {
    request(arrived, answer) {
      let endMetrics: ReturnType<ProcessTelemetry['request']> | undefined;
      const endTrace = traces.request(arrived, () => {
        endMetrics = metrics.request(arrived, answer);
      });
      return (ended) => {
        endMetrics?.(ended);
        endTrace(ended);
      };
    },
    measure: (kind, name, work, details) =>
      traces.measure(kind, name, () => metrics.measure(kind, name, work, details), details),
    lookup: (cache, isHit) => metrics.lookup?.(cache, isHit),
    limitReached: (limit) => metrics.limitReached?.(limit),
    deprecatedUse: (field) => metrics.deprecatedUse?.(field),
    transactionWaited: (seconds) => metrics.transactionWaited?.(seconds),
    jobWork: (outcome) => metrics.jobWork?.(outcome),
    webhookDelivery: (outcome, seconds) => metrics.webhookDelivery?.(outcome, seconds),
    watchSubscriptions: (count) => metrics.watchSubscriptions?.(count),
    outgoingHeaders: () => traces.outgoingHeaders?.() ?? {},
    watch(services) {
      traces.watch(services);
      metrics.watch(services);
    },
    async close() {
      await Promise.all([traces.close(), metrics.close()]);
    },
  };
}
