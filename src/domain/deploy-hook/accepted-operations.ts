import { timingSafeEqual } from 'node:crypto';
import DataLoader from 'dataloader';
import type { Services } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { Credentials } from '../../http/authentication.ts';
import type { Actor } from '../../kernel/access.ts';
import type { Action } from '../../kernel/actions.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { hashToken } from '../access-token/reads.ts';
import { setLastUsed } from './rows.ts';

/** The actions of a deploy hook on its component. It sets the image as a part of the deploy. */
const actions: ReadonlySet<Action> = new Set<Action>(['read', 'deployComponent']);

/** Where the component of a deploy hook is. */
interface ComponentLocation {
  enterpriseId: string;
  teamId: string;
  applicationId: number;
  componentId: string;
}

/** An actor that may deploy one component, and nothing else. */
const actorOf = (deployHookId: string, { enterpriseId, teamId, ...place }: ComponentLocation): Actor => ({
  userId: null,
  serviceAccountId: null,
  tokenId: null,
  sessionId: null,
  deployHookId,
  deployHookApplicationId: place.applicationId,
  enterpriseId,
  isReadOnly: false,
  isAdministrator: false,
  everywhere: null,
  teams: new Map([
    [
      teamId,
      [
        {
          actions,
          coversTeam: false,
          applications: new Set([place.applicationId]),
          components: new Set([place.componentId]),
        },
      ],
    ],
  ]),
  isPartial: true,
  grants: [],
});

export interface AcceptedHook {
  actor: Actor;
  row: { id: string; expiresAt: null };
  lastUsedAt: Date | null;
}

/** Compares with what an unknown deploy hook has as well, so that both take the same time. */
const unknownHash = hashToken('');
const isSameHash = (one: string, other: string) => timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** Reads deploy hooks by id. Those that are looked up at the same time share a statement. */
export const deployHooksById = ({ db }: Pick<Services, 'db'>) =>
  new DataLoader(
    async (ids: readonly string[]) => {
      const rows = await db.deployHook.findManyByKeys({ by: 'id', keys: [...new Set(ids)] });
      const byId = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => byId.get(id));
    },
    { cache: false, maxBatchSize: 500 },
  );

/** Accepts a request to the deploy hook with this id, for its secret. */
export function deployHookCredentials(
  { db, hooks }: Pick<Services, 'db'> & { hooks: ReturnType<typeof deployHooksById> },
  id: string,
  hash: string,
  useEveryMs: number,
): Credentials<AcceptedHook> {
  const isRight = (hook: Pick<Row<'DeployHook'>, 'hash'> | null | undefined) =>
    isSameHash(hook?.hash ?? unknownHash, hash) && hook != null;

  return {
    async find(_, lookUp) {
      const look = () => hooks.load(id);
      const hook = await (lookUp ? lookUp(look) : look());
      if (!isRight(hook) || !hook) return undefined;
      const { componentId, lastUsedAt } = hook;
      const [component] = await db.component.findManyByKeys({
        by: 'id',
        keys: [componentId],
        fields: ['id', 'teamId', 'applicationId'],
      });
      if (!component) return undefined;
      const { teamId, applicationId } = component;
      const [team] = await db.team.findManyByKeys({
        by: 'id',
        keys: [teamId],
        fields: ['id', 'enterpriseId'],
      });
      if (!team) return undefined;
      const place = { enterpriseId: team.enterpriseId, teamId, applicationId, componentId };
      return { actor: actorOf(id, place), row: { id, expiresAt: null }, lastUsedAt };
    },
    async touch({ lastUsedAt }) {
      const now = new Date();
      if (lastUsedAt && now.getTime() - lastUsedAt.getTime() < useEveryMs) return;
      await db.transaction((tx) => setLastUsed(tx, id, now));
    },
    async actorIn(tx) {
      const hook = await tx.deployHook.findUnique({
        where: { id },
        select: {
          hash: true,
          componentId: true,
          component: {
            select: { teamId: true, applicationId: true, team: { select: { enterpriseId: true } } },
          },
        },
      });
      // Deleted, or given another secret, since the request began.
      if (!isRight(hook) || !hook) throw new NotFoundError('deploy hook');
      const { componentId, component } = hook;
      const { teamId, applicationId, team } = component;
      return actorOf(id, { enterpriseId: team.enterpriseId, teamId, applicationId, componentId });
    },
  };
}
