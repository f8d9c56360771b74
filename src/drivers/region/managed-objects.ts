/** An object that Trellis has applied to a cluster. */
export interface ManagedObject {
  kind: string;
  namespace: string;
  name: string;
  uid: string;
  createdAt: Date | null;
  teamId: string;
  /** The components that it is of. Empty if it is of the team or of an application. */
  componentIds: string[];
  /** Whether it is a volume, whose data is gone with it, or has one in it. */
  hasData: boolean;
  /** The application that it is the namespace of. */
  applicationId?: number;
}

/** A look at what Trellis has applied to the clusters of regions, whatever is in the model. */
export interface ManagedObjects {
  list(regionId: string, signal: AbortSignal): Promise<ManagedObject[]>;
  /** Removes objects. Others that have their names by now stay. */
  remove(regionId: string, objects: readonly ManagedObject[], signal: AbortSignal): Promise<void>;
}
