import type { KubernetesObject } from '../objects/objects.ts';

/** A refusal by the API server. Callers look at the code and the reason, because messages differ between versions. */
export class ClusterError extends Error {
  readonly code: number;
  readonly reason: string | undefined;
  readonly causes: readonly { reason?: string; field?: string; message?: string }[];
  /** Whether it is not one request that was refused: a gateway in front of the server answers, or credentials have expired. */
  readonly isAway: boolean;

  constructor(code: number, body: string) {
    const status = parsed(body);
    super(status.message ?? body.slice(0, 300));
    this.name = 'ClusterError';
    this.code = code;
    this.reason = status.reason;
    this.causes = status.details?.causes ?? [];
    this.isAway = code === 401 || (code >= 502 && code <= 504 && status.kind !== 'Status');
  }
}

/** Whether the API server has refused a request with one of these codes. */
export const hasCode = (error: unknown, ...codes: number[]): error is ClusterError =>
  error instanceof ClusterError && codes.includes(error.code);

interface Status {
  kind?: string;
  message?: string;
  reason?: string;
  details?: { causes?: ClusterError['causes'] };
}

/** Some failures are plain text. */
function parsed(body: string): Status {
  try {
    return JSON.parse(body) as Status;
  } catch {
    return {};
  }
}

export interface List {
  metadata: { resourceVersion: string; continue?: string };
  items: KubernetesObject[];
}

export interface ListQuery {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** `0` is for what the API server has in its memory. */
  resourceVersion?: '0';
  /** A page has as many, and `continue` of its metadata for the next one. */
  limit?: number;
  continue?: string | undefined;
}

/** The media types of objects and lists of which only the metadata is sent, for objects whose content can be large. */
export const metadataTypes = {
  object: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  list: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
} as const;

/** Lists that can be a little older than what is stored, which costs the cluster less. */
export const fromMemory = { resourceVersion: '0' } as const satisfies ListQuery;

/** An event of a watch. Of an `ERROR`, the object is a status. */
export type WatchEvent = (type: string, object: KubernetesObject) => void;
