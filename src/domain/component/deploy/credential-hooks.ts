import type { Context } from '../../../context.ts';
import type { Field, Row } from '../../../db/tables.ts';
import { findByKeys } from '../../../db/write/bulk.ts';
import type { Write } from '../../../db/write/change.ts';
import { lockRows } from '../../../db/write/locks.ts';
import { registryOf } from '../../../drivers/registry/image.ts';
import { ConflictError } from '../../../kernel/errors.ts';
import { yieldToLoop } from '../../../kernel/event-loop.ts';
import { groupBy } from '../../../kernel/group.ts';
import { isImmediate } from '../../region/reads.ts';
import type { RegistryCredentialHooks } from '../../registry-credential/hooks.ts';
import { wasDeployed } from '../state-model.ts';
import { applyAgain } from './apply-rows.ts';
import type { DeployedSpec } from './deployment-model.ts';

type Component = Row<'Component'>;
type Credential = Row<'RegistryCredential'>;

/** Has the components that use a credential applied again when it changes. */
export const componentsOfCredential: RegistryCredentialHooks = {
  async changing(write, credential) {
    const locked = new Set(followers(await componentsUsing(write, credential)).map(({ id }) => id));
    await lockRows(write, 'Component', ...locked);
    const using = await componentsUsing(write, credential);
    const following = followers(using);
    if (following.some(({ id }) => !locked.has(id))) {
      throw new ConflictError('A component began to use the credential at the same time. Try again.');
    }
    return {
      names: using.map(({ name }) => name),
      apply: () => applyAll(write, following),
    };
  },
};

/** Those that a cluster may have. */
const followers = (components: readonly Component[]) => components.filter(wasDeployed);

const columns: Field<'Component'>[] = [
  'id',
  'teamId',
  'regionId',
  'name',
  'image',
  'deployState',
  'hasUndeployedChanges',
];

/** How many teams are read at once. Each can have thousands of components. */
const teamsAtOnce = 10;

/** The components whose image, or the one that they were deployed with, is of the credential's registry. */
async function componentsUsing(write: Write<Context>, credential: Credential): Promise<Component[]> {
  const { host } = credential;
  const teamIds = await teamsUsing(write, credential);
  const using: Component[] = [];
  const changed: Component[] = [];
  for (let at = 0; at < teamIds.length; at += teamsAtOnce) {
    const keys = teamIds.slice(at, at + teamsAtOnce);
    for (const each of await findByKeys(write, 'Component', 'teamId', keys, ['id'], { fields: columns })) {
      if (registryOf(each.image) === host) using.push(each);
      else if (each.hasUndeployedChanges && wasDeployed(each)) changed.push(each);
    }
  }
  const deployed = await deployedImages(write, changed);
  return [...using, ...changed.filter(({ id }) => registryOf(deployed.get(id) ?? '') === host)];
}

/** The team of the credential. Of one for all teams, those without a credential of their own for its registry. */
async function teamsUsing({ tx }: Write<Context>, credential: Credential): Promise<string[]> {
  const { teamId, enterpriseId, host } = credential;
  if (teamId !== null) return [teamId];
  const teams = await tx.team.findMany({
    where: { enterpriseId, registryCredentials: { none: { host } } },
    select: { id: true },
    orderBy: { id: 'asc' },
  });
  return teams.map(({ id }) => id);
}

async function deployedImages(
  write: Write<Context>,
  components: readonly Component[],
): Promise<Map<string, string>> {
  const { seal, signal } = write.context;
  const ids = components.map(({ id }) => id);
  const images = new Map<string, string>();
  for (const { id, sealedSpec } of await findByKeys(write, 'Deployment', 'id', ids, ['id'])) {
    images.set(id, (JSON.parse(seal.open(sealedSpec)) as DeployedSpec).image);
    await yieldToLoop(signal);
  }
  return images;
}

/** One job for each team and region that carries out jobs. */
async function applyAll(write: Write<Context>, components: readonly Component[]): Promise<void> {
  const idsOf = (field: 'teamId' | 'regionId') => [...new Set(components.map((each) => each[field]))];
  const regions = new Map(
    (await findByKeys(write, 'Region', 'id', idsOf('regionId'), ['id']))
      .filter((region) => !isImmediate(write.context, region))
      .map((region) => [region.id, region]),
  );
  const carriedOut = components.filter(({ regionId }) => regions.has(regionId));
  for (const [teamId, ofTeam] of groupBy(carriedOut, (each) => each.teamId)) {
    const [team] = await findByKeys(write, 'Team', 'id', [teamId], ['id']);
    for (const [regionId, group] of groupBy(ofTeam, (each) => each.regionId)) {
      const place = { team: team!, region: regions.get(regionId)! };
      await applyAgain(
        write,
        place,
        group.map(({ id }) => id),
      );
    }
  }
}
