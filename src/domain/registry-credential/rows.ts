import { type NewRow, openFields, type Row } from '../../db/tables.ts';
import { deleteByIds, findByKeys } from '../../db/write/bulk.ts';
import type { Write } from '../../db/write/change.ts';
import { revised } from '../../db/write/revision.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import type { TeamHooks } from '../team/hooks.ts';

type Credential = Row<'RegistryCredential'>;

const subjectOf = ({ id }: { id: number }) => ({ type: 'RegistryCredential', id }) as const;

export async function insertRegistryCredential(
  { tx, recordEvent }: Write,
  data: NewRow<'RegistryCredential'>,
): Promise<Credential> {
  const after = await tx.registryCredential.create({ data });
  const { host: name, teamId } = after;
  // An install of a template creates some as well.
  recordEvent({ action: 'registry_credential.create', subject: subjectOf(after), name, teamId, after });
  return after;
}

/** Sets the username and the password. */
export async function setRegistryCredential(
  { tx, recordEvent }: Write,
  before: Credential,
  data: Pick<Credential, 'username' | 'sealedPassword'>,
): Promise<Credential> {
  const { id, teamId } = before;
  const after = await tx.registryCredential.update({ where: { id }, data: revised(before, data) });
  recordEvent({ subject: subjectOf(before), name: after.host, teamId, before, after });
  return after;
}

export async function removeRegistryCredential(
  { tx, recordEvent }: Write,
  credential: Credential,
): Promise<void> {
  const { id, teamId } = credential;
  const { count } = await tx.registryCredential.deleteMany({ where: { id } });
  if (count === 0) throw new NotFoundError('registry credential');
  recordEvent({ subject: subjectOf(credential), name: credential.host, teamId, before: credential });
}

export const registryCredentialsOfTeam: TeamHooks = {
  async deleting(write, { id: teamId }) {
    const credentials = await findByKeys(write, 'RegistryCredential', 'teamId', [teamId], ['id'], {
      fields: openFields('RegistryCredential'),
    });
    await deleteByIds(write, 'RegistryCredential', credentials);
    for (const credential of credentials) {
      const { host: name } = credential;
      const subject = subjectOf(credential);
      write.recordEvent({ action: 'registry_credential.delete', subject, name, teamId, before: credential });
    }
  },
};
