import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { StatementWrite, Write } from '../../db/write/change.ts';
import type { JobWrite } from '../job/settle-rows.ts';

/** A deletion, which has locked the components, then their names. It reads nothing that it has written. */
export interface RemovalWrite extends StatementWrite<Context> {
  team: Row<'Team'>;
  region: Row<'Region'>;
}

export type RemovedGroup = Pick<
  Row<'ComponentGroup'>,
  'id' | 'applicationId' | 'name' | 'templateId' | 'templateVersion' | 'storeId'
>;

/** Which release a deploy brings back, or promotes. */
export type DeployOrigin = Partial<
  Pick<Row<'Release'>, 'restoredNumber' | 'promotedId' | 'digest' | 'resolvedAt'>
>;

interface Deployed {
  job: Pick<Row<'Job'>, 'id'>;
  /** By the ids of components. */
  origins?: ReadonlyMap<string, DeployOrigin> | undefined;
  /** The components after the change, with what they are deployed with, encrypted. */
  releases: readonly {
    component: Row<'Component'>;
    sealedSpec: string;
    image?: Pick<Row<'Release'>, 'digest' | 'resolvedAt'> | undefined;
  }[];
}

/** Hooks for rows of components or groups, called in the transaction that deploys or deletes them. */
export interface ComponentHooks {
  /** Records deploys, whose job has been recorded. */
  deployed?(write: Write<Context>, deployed: Deployed): Promise<void>;
  /** Ends the runs of the commands before deploys that no longer wait for them. */
  deployEnded?(write: JobWrite, runIds: readonly string[]): Promise<void>;
  /** Removes what belongs to the components, which are still there. */
  deleting?(write: RemovalWrite, components: readonly Row<'Component'>[]): Promise<void>;
  /** Removes what nothing uses any more after the groups were deleted. */
  groupsDeleted?(write: RemovalWrite, groups: readonly RemovedGroup[]): Promise<void>;
}

/** The hooks of the concepts below this one, children first. `api.ts` lists them. */
export const componentHooks: ComponentHooks[] = [];
