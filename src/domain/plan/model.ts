import { z } from 'zod';
import type { PlannedImage } from '../component/deploy/image-model.ts';
import type { StartStopped } from '../component/deploy/scope-model.ts';

/** The most characters of a document, and the most objects in it. */
export const documentLimits = {
  bytes: 1_048_576,
  values: 100_000,
  aliases: 100,
  components: 500,
  ports: 1_000,
  routes: 5_000,
} as const;

/** The choices for objects that belong to the manifest and are no longer written. */
export const pruneModes = {
  none: 'The objects are kept and listed in `leftOver`.',
  owned: 'The objects are deleted.',
} as const;
export const pruneMode = z.enum(['none', 'owned']);
export type PruneMode = z.infer<typeof pruneMode>;

/** The components that an apply deploys. */
export const deployModes = {
  changed: 'New components, and running components with changes that take effect with a deploy.',
  all: 'All components in the document.',
  none: 'No component.',
} as const;
export const deployMode = z.enum(['changed', 'all', 'none']);
export type DeployMode = z.infer<typeof deployMode>;

/** Which of the components that it writes a change deploys. */
export interface Deploying extends StartStopped {
  deploy: DeployMode;
}

export const changeActions = {
  CREATE: 'The object is created.',
  UPDATE: 'The object is changed.',
  DELETE: 'The object is deleted.',
  ADOPT: 'The object is changed and becomes part of the manifest.',
} as const;
type ChangeAction = keyof typeof changeActions;

/** The objects that a manifest describes. */
export const objectKinds = {
  APPLICATION: 'The application.',
  COMPONENT: 'A component.',
  VARIABLE: 'An environment variable.',
  CONNECTION_VARIABLE: 'A variable for the components that depend on its component.',
  VOLUME: 'A volume.',
  SNAPSHOT_SCHEDULE: 'The snapshot schedule of a volume, by the name of the volume.',
  PORT: 'A port.',
  SCHEDULE: 'A schedule of runs.',
  DEPENDENCY: 'The dependency of a component on another one.',
  HTTP_ROUTE: 'An HTTP rule.',
  TCP_ROUTE: 'A TCP rule.',
} as const;
export type ObjectKind = keyof typeof objectKinds;

export const effects = {
  AT_ONCE: 'When the manifest is applied.',
  NEXT_DEPLOY: 'With the next deploy of the component, which can be part of the apply.',
} as const;
type Effect = keyof typeof effects;

export interface PlannedObject {
  object: ObjectKind;
  /** The name of its component. Null for an application. */
  component: string | null;
  name: string;
}

export interface FieldChange {
  field: string;
  /** Text, or JSON of another value. Null if there is none. */
  before: string | null;
  after: string | null;
  isSecret: boolean;
}

export interface ManifestChange extends PlannedObject {
  action: ChangeAction;
  fields: FieldChange[];
  isDestructive: boolean;
  takesEffect: Effect;
}

export interface ManifestPlan {
  digest: string;
  /** In the order in which they are made. */
  changes: ManifestChange[];
  /** Objects that belong to the manifest and are no longer written. */
  leftOver: PlannedObject[];
  /** Objects that belong to the manifest from then on, and are as they are written. */
  adopted: PlannedObject[];
  /** The images that are deployed, in regions that run images. */
  images: PlannedImage[];
  /** The names of the components that would be deployed if they were not stopped. */
  leftStopped: string[];
}
