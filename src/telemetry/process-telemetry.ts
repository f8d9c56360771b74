import type { Services } from '../context.ts';
import type { Telemetry } from '../kernel/telemetry.ts';

export interface TelemetrySettings {
  /** Where metrics are served. Undefined if they are not. */
  metrics: { host: string; port: number } | undefined;
  /** Whether traces are sent. Where to is a setting of OpenTelemetry. */
  traces: boolean;
}

/** The telemetry of a process, with what is opened and closed for it. */
export interface ProcessTelemetry extends Telemetry {
  /** Observes services as well that were opened later. */
  watch(services: Pick<Services, 'db' | 'log'>): void;
  close(): Promise<void>;
}
