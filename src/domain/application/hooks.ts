import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { StatementWrite, Write } from '../../db/write/change.ts';
import type { Isolation } from './model.ts';

/** Hooks for rows of applications, called in the transaction that changes them. */
export interface ApplicationHooks {
  /** Moves what is in the namespace of an application, which is locked afterwards. */
  isolating?(
    write: Write<Context>,
    application: Pick<Row<'Application'>, 'id' | 'teamId' | 'regionId'>,
    isolation: Isolation,
  ): Promise<void>;
  /** Removes what belongs to an application that is deleted. The job removes its components from the cluster. */
  deleting?(
    write: StatementWrite<Context>,
    application: Row<'Application'>,
    job: Pick<Row<'Job'>, 'id' | 'status'> | null,
  ): Promise<void>;
}

/** The hooks of the concepts below this one. `api.ts` lists them. */
export const applicationHooks: ApplicationHooks[] = [];
