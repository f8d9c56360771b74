import { Agent, buildConnector, type Dispatcher } from 'undici';
import { publicConnector } from './public-connector.ts';

export interface AgentOptions {
  /** Whether addresses outside the public internet may be connected to. */
  allowPrivate: boolean;
  /** The addresses that may be connected to unless private ones may. Defaults to those of the public internet. */
  isAllowed?: ((address: string) => boolean) | undefined;
  /** The error for the others. */
  refusal: () => Error;
  connectTimeoutMs: number;
  maxResponseSize?: number;
}

/** Connections to addresses that users give. They are not reused, because calls are rare and go to many hosts. */
export const createAgent = ({
  allowPrivate,
  isAllowed,
  refusal,
  connectTimeoutMs: timeout,
  maxResponseSize,
}: AgentOptions): Dispatcher =>
  new Agent({
    connect: allowPrivate ? buildConnector({ timeout }) : publicConnector(timeout, refusal, isAllowed),
    pipelining: 0,
    ...(maxResponseSize !== undefined && { maxResponseSize }),
  });
