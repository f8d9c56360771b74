/** How a probe checks an instance. */
export type ProbeCheck =
  | {
      kind: 'http';
      path: string;
      port: number;
      scheme: 'http' | 'https';
      headers: readonly { name: string; value: string }[];
    }
  | { kind: 'tcp'; port: number }
  /** The gRPC health checking protocol. An empty service is the server as a whole. */
  | { kind: 'grpc'; port: number; service: string }
  /** Runs in the instance. Healthy if it exits with 0. */
  | { kind: 'command'; command: readonly string[] };

export interface Probe {
  check: ProbeCheck;
  initialDelaySeconds: number;
  periodSeconds: number;
  timeoutSeconds: number;
  failureThreshold: number;
  /** Always 1 for startup and liveness probes. */
  successThreshold: number;
}

/** The probes of a component. Null where it has none. */
export interface Probes {
  /** Until it succeeds, the other probes do not run. */
  startup: Probe | null;
  /** Whether an instance gets requests. */
  readiness: Probe | null;
  /** An instance that fails it is restarted. */
  liveness: Probe | null;
}

/** The username and password for a registry of images. */
export interface PullCredential {
  /** The host of the registry, with its port if it has one. */
  host: string;
  username: string;
  /** Decrypted. */
  password: string;
}

export const noProbes: Probes = { startup: null, readiness: null, liveness: null };

/** How long a job may work on a component at most, in seconds, which is the default of a component. */
export const maxDeadlineSeconds = 86_400;

/** The defaults of a component, in seconds. */
export const shutdownDefaults = { preStopSeconds: 5, terminationGracePeriodSeconds: 30 };
