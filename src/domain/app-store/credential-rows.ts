import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';
import type { StoreTemplate } from '../../drivers/app-store/driver.ts';
import type { OmittedKey } from '../../drivers/app-store/template.ts';
import { insertRegistryCredential } from '../registry-credential/rows.ts';
import { requireAllowed } from '../team/reads.ts';

/** FORBIDDEN for callers who may not give the team credentials: all of its components pull their images with them. */
export function requireAccepting(
  context: Context,
  team: Row<'Team'>,
  { acceptsCredentials }: { acceptsCredentials?: boolean | null | undefined },
): void {
  if (acceptsCredentials) requireAllowed(context, team, 'createRegistryCredential');
}

/**
 * Adds the credentials of a template to those of the team, which keeps what it has for a host. Returns the keys of the
 * template that are still omitted.
 */
export async function addCredentials(
  write: Write<Context>,
  team: Row<'Team'>,
  { credentials, omitted }: Pick<StoreTemplate, 'credentials' | 'omitted'>,
): Promise<OmittedKey[]> {
  if (credentials.length === 0) return omitted;
  const hosts = credentials.map(({ host }) => host);
  const rows = await write.tx.registryCredential.findMany({
    where: { ownerId: team.id, host: { in: hosts } },
    select: { host: true },
  });
  const has = new Set(rows.map(({ host }) => host));
  const used = new Set<string>();
  for (const { host, username, password, places } of credentials) {
    if (has.has(host)) continue;
    await insertRegistryCredential(write, {
      enterpriseId: team.enterpriseId,
      teamId: team.id,
      ownerId: team.id,
      host,
      username,
      sealedPassword: write.context.seal.close(password),
      createdAt: new Date(),
    });
    for (const place of places) {
      for (const key of ['hub_user', 'hub_password']) used.add(`apps[${place}].service_image.${key}`);
    }
  }
  return omitted.filter(({ path }) => !used.has(path));
}
