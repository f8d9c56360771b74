import type { ResultOf } from '../../api/graphql.ts';
import type { AutomationQuery } from '../../documents/automation.ts';

/** A team with its service accounts. */
export type Team = NonNullable<ResultOf<typeof AutomationQuery>['team']>;
/** A service account of it. */
export type Account = Team['serviceAccounts']['nodes'][number];
