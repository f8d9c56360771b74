import type { Context } from '../../context.ts';
import { batchedRow, type List } from '../../db/list.ts';
import { type Field, openFields, type Row } from '../../db/tables.ts';
import type { PullCredential } from '../../drivers/region/health.ts';
import { registryOf } from '../../drivers/registry/image.ts';
import { administers, allows, requireRight } from '../../kernel/access.ts';
import type { Action } from '../../kernel/actions.ts';
import { ForbiddenError } from '../../kernel/errors.ts';
import { byNumber, namedBy } from '../../kernel/global-id.ts';
import { getOrCompute } from '../../kernel/memo.ts';
import { loadTeam, requireAllowed, seesIn, teamById } from '../team/reads.ts';
import { visibleBesides } from '../team/visible-reads.ts';
import type { RegistryCredentialRef } from './model.ts';

/** The columns of a credential without its password. */
const shown: Field<'RegistryCredential'>[] = openFields('RegistryCredential');

const credentialById = batchedRow('RegistryCredential', 'id', shown);

/** The credential, for those who may see its team; one for all teams for enterprise administrators. */
export async function visibleRegistryCredential(
  context: Context,
  id: string,
): Promise<Row<'RegistryCredential'> | null> {
  const credential = await byNumber(credentialById)(context, id);
  if (!credential) return null;
  const isVisible =
    credential.teamId === null
      ? administers(context.actor, credential)
      : await seesIn(context, { teamId: credential.teamId });
  return isVisible ? credential : null;
}

/** The credential that a reference names, for a caller who may see it. */
export const requireRegistryCredential = namedBy(
  'registry credential',
  'RegistryCredential',
  'credentialId',
  visibleRegistryCredential,
);

/** Finds the credential for a caller who may change it. */
export async function requireChangeableCredential(
  context: Context,
  ref: RegistryCredentialRef,
  action: Action,
): Promise<Row<'RegistryCredential'>> {
  const credential = await requireRegistryCredential(context, ref);
  if (credential.teamId === null) requireAdministratorOf(context, credential, action);
  else {
    requireAllowed(context, await loadTeam(context, credential.teamId), action, {
      noun: 'registry credential',
    });
  }
  return credential;
}

/** FORBIDDEN for those who may not manage, or list, the credentials for all teams. */
export const requireAdministratorOf = (
  context: Context,
  { enterpriseId }: { enterpriseId: string },
  action: Action = 'read',
): void =>
  requireRight(context, (actor) => {
    if (!administers(actor, { enterpriseId }) || !allows(actor, action, { enterpriseId })) {
      throw new ForbiddenError(
        'Only enterprise administrators can use the registry credentials for all teams.',
      );
    }
  });

/** The credentials of a team, or those for all teams of an enterprise, by host. */
export const registryCredentialsOf = ({ actor }: Context, ownerId: string): List<'RegistryCredential'> => ({
  key: ownerId,
  spec: {
    model: 'RegistryCredential',
    parent: { field: 'ownerId' },
    order: ['host', 'id'],
    fields: shown,
    where: visibleBesides(actor, 'ownerId'),
  },
});

/** The credential with which a team pulls an image: its own, or else that for all teams. Null if there is none. */
export async function pullCredentialOf(
  context: Pick<Context, 'db' | 'seal' | 'loaders'>,
  teamId: string,
  image: string,
): Promise<PullCredential | null> {
  const host = registryOf(image);
  const rows = await context.db.registryCredential.findManyByKeys({
    by: 'host',
    keys: [host],
    where: [
      {
        any: [
          { field: 'teamId', is: teamId },
          { field: 'teamId', is: null },
        ],
      },
    ],
  });
  const own = rows.find((row) => row.teamId === teamId);
  // Most hosts have no credential, so that the team is not read.
  const team = own || rows.length === 0 ? null : await teamById(context, teamId);
  const found = own ?? rows.find(({ enterpriseId }) => enterpriseId === team?.enterpriseId);
  if (!found) return null;
  return { host, username: found.username, password: context.seal.open(found.sealedPassword) };
}

/** `pullCredentialOf` for several images of a team, with one read for each registry. */
export function pullCredentials(context: Pick<Context, 'db' | 'seal' | 'loaders'>, teamId: string) {
  const credentials = new Map<string, Promise<PullCredential | null>>();
  return (image: string): Promise<PullCredential | null> => {
    const host = registryOf(image);
    return getOrCompute(credentials, host, () => pullCredentialOf(context, teamId, image));
  };
}
