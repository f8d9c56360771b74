import type { Log } from '../kernel/log.ts';
import type { ProcessTelemetry, TelemetrySettings } from './process-telemetry.ts';

/**
 * Opens the telemetry that the settings ask for; undefined if they ask for none. Its packages are loaded here, so that a
 * process without telemetry does without them.
 */
export async function openTelemetry(
  { metrics }: TelemetrySettings,
  log: Log,
): Promise<ProcessTelemetry | undefined> {
  if (!metrics) return undefined;
  const { openMetrics } = await import('./metrics.ts');
  return openMetrics(metrics, log);
}
