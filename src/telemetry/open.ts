import type { Log } from '../kernel/log.ts';
import { both } from './both.ts';
import type { ProcessTelemetry, TelemetrySettings } from './process-telemetry.ts';

/**
 * Opens the telemetry that the settings ask for; undefined if they ask for none. Its packages are loaded here, so that a
 * process without telemetry does without them.
 */
export async function openTelemetry(
  settings: TelemetrySettings,
  log: Log,
): Promise<ProcessTelemetry | undefined> {
  const metrics = settings.metrics && (await import('./metrics.ts')).openMetrics(settings.metrics, log);
  const traces = settings.traces ? await openTraces(log) : undefined;
  if (!traces || !metrics) return traces ?? metrics;
  return both(traces, await metrics);
}

async function openTraces(log: Log): Promise<ProcessTelemetry> {
  const { Tracing } = await import('./tracing.ts').catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error(
      'traces need the optional packages of OpenTelemetry: install them, or unset OTEL_EXPORTER_OTLP_ENDPOINT',
    );
  });
  return new Tracing(log);
}
