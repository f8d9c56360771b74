import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ApiError, MethodNotAllowedError } from '../kernel/errors.ts';
import type { RequestFacts, SurfaceName } from '../kernel/telemetry.ts';
import { isRead } from './request.ts';

/** A part of the server that answers the requests of its paths. */
export interface Surface {
  /** By which requests are counted. */
  name: SurfaceName;
  serves(path: string): boolean;
  serve(req: IncomingMessage, res: ServerResponse, facts: RequestFacts): unknown;
  /** Sends an error in the form that clients of the surface expect. Defaults to a problem document. */
  fail?(req: IncomingMessage, res: ServerResponse, error: ApiError): void;
  /** Whether a request can ask what it costs. */
  canExplain?: boolean;
  /** Whether its requests are answered however many others are in progress. */
  isAlwaysAdmitted?: boolean;
}

export const at = (path: string) => (requested: string) => requested === path;
export const under = (folder: string) => (requested: string) => requested.startsWith(folder);

/** Serves documents, which are only read. */
export const readOnly =
  (serve: (req: IncomingMessage, res: ServerResponse) => unknown): Surface['serve'] =>
  (req, res) => {
    if (!isRead(req)) throw new MethodNotAllowedError('GET, HEAD');
    return serve(req, res);
  };
