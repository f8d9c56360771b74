import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change, type Write } from '../../db/write/change.ts';
import { locked } from '../../db/write/locked.ts';
import { changeWithPlan, type ObjectChange } from '../../db/write/plan.ts';
import { registryHost } from '../../drivers/registry/image.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { nameList } from '../../kernel/name-list.ts';
import { requireTeamFor } from '../team/reads.ts';
import { type CredentialUse, registryCredentialHooks } from './hooks.ts';
import type {
  CreateRegistryCredential,
  DeleteRegistryCredential,
  UpdateRegistryCredential,
} from './model.ts';
import { requireAdministratorOf, requireChangeableCredential } from './reads.ts';
import { insertRegistryCredential, removeRegistryCredential, setRegistryCredential } from './rows.ts';

type Credential = Row<'RegistryCredential'>;

/** Adds a credential. Clusters get it with the next deploy of the components that use it. */
export async function createRegistryCredential(
  context: Context,
  { team: ref, host: given, username, password }: CreateRegistryCredential,
): Promise<Credential> {
  const { enterpriseId } = context.actor;
  const team = ref ? await requireTeamFor(context, ref, 'createRegistryCredential') : null;
  if (!team) requireAdministratorOf(context, { enterpriseId }, 'createRegistryCredential');
  const host = registryHost(given);
  return change(
    context,
    'registry_credential.create',
    (write) =>
      insertRegistryCredential(write, {
        enterpriseId,
        teamId: team?.id ?? null,
        ownerId: team?.id ?? enterpriseId,
        host,
        username,
        sealedPassword: context.seal.close(password),
        createdAt: new Date(),
      }),
    () =>
      `${team ? `The team ${team.name}` : 'The enterprise'} already has a credential for ${host}. Change it instead.`,
  );
}

/** Changes a credential, and has the components that use it applied again. The same values again change nothing. */
export async function updateRegistryCredential(
  context: Context,
  input: UpdateRegistryCredential,
): Promise<Credential> {
  const target = await requireChangeableCredential(context, input.credential, 'updateRegistryCredential');
  const { seal } = context;
  return change(context, 'registry_credential.update', async (write) => {
    const uses = await usesOf(write, target);
    const before = await locked(write, 'RegistryCredential', target.id, input);
    const username = input.username ?? before.username;
    const isSame = input.password == null || seal.open(before.sealedPassword) === input.password;
    if (isSame && username === before.username) return before;
    const sealedPassword = isSame ? before.sealedPassword : seal.close(input.password!);
    const credential = await setRegistryCredential(write, before, { username, sealedPassword });
    for (const { apply } of uses) await apply();
    return credential;
  });
}

/** Deletes a credential and returns it. CONFLICT if components use it, unless `force` is set. */
export async function deleteRegistryCredential(
  context: Context,
  { credential: ref, force, dryRun, ...expecting }: DeleteRegistryCredential,
): Promise<{ credential: Credential; plan: ObjectChange[] }> {
  const credential = await requireChangeableCredential(context, ref, 'deleteRegistryCredential');
  const { plan } = await changeWithPlan(context, 'registry_credential.delete', { dryRun }, async (write) => {
    const uses = await usesOf(write, credential);
    await locked(write, 'RegistryCredential', credential.id, expecting);
    const names = uses.flatMap((use) => use.names);
    if (names.length > 0 && !force) {
      throw new ConflictError(
        `The credential for ${credential.host} is used by components: ${nameList(names)}. Change their images first, or set \`force\`.`,
      );
    }
    await removeRegistryCredential(write, credential);
    for (const { apply } of uses) await apply();
  });
  return { credential, plan };
}

/** Locks what uses the credential, which other changes lock before it. */
async function usesOf(write: Write<Context>, credential: Credential): Promise<CredentialUse[]> {
  const uses = [];
  for (const hook of registryCredentialHooks) uses.push(await hook.changing(write, credential));
  return uses;
}
