import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { Reading } from '../../db/write/reading.ts';
import type { SnapshotSource } from '../../drivers/region/desired.ts';
import type { NewApplication } from '../application/rows.ts';
import type { ApplyWrite } from '../plan/parts-rows.ts';
import type { StandingComponent } from '../plan/standing-reads.ts';
import type { ComponentWork, RouteWork } from '../plan/work.ts';
import type { CopiedImage, CopiedVariable, Omission, SecretMode, VolumeMode } from './model.ts';

/** The application that is copied, and where it is. */
export interface Original {
  application: Pick<Row<'Application'>, 'id'>;
  team: Row<'Team'>;
  region: Row<'Region'>;
}

/** What a copy gets. */
export interface CopyOptions {
  name: string;
  images?: readonly CopiedImage[] | null | undefined;
  variables?: readonly CopiedVariable[] | null | undefined;
  secrets: SecretMode;
  volumes: VolumeMode;
  /** The snapshots that volumes have their data from. */
  snapshots?: CopiedSnapshots;
  /** The names of the components that are left out. */
  leftOut?: ReadonlySet<string>;
  /**
   * Whether those that depend on a component that is left out, or on one of another application, depend on it as the original does.
   * By default, on those of other applications that the caller may see.
   */
  dependsOnOriginal?: boolean;
  /** Whether each component has one instance, and no autoscaling. */
  isSingle?: boolean;
  /** Whether the components that run in the original are deployed. */
  deploy: boolean;
}

/** The snapshots that volumes of an application are copied from, by their ids. */
export type CopiedSnapshots = ReadonlyMap<number, SnapshotSource>;

/** A plan reads where the copy will be. */
export type CopyReading = Reading<Context> & Pick<ApplyWrite, 'team' | 'region'>;

export interface CopyPlan {
  application: NewApplication & { copyOfId: number };
  /** The ids of their groups are those of the original. */
  works: ComponentWork[];
  routes: RouteWork;
  groups: Pick<
    Row<'ComponentGroup'>,
    'id' | 'name' | 'templateId' | 'templateVersion' | 'offeredVersion' | 'storeId'
  >[];
  options: CopyOptions;
  omitted: Omission[];
  /** The names of the components that a deploy leaves out. */
  leftStopped: string[];
}

/** A component of the original, and the new one. */
export interface Copied {
  current: StandingComponent;
  work: ComponentWork;
}

/** Says what the copy leaves out. */
export type Tell = (omission: Omission) => void;
