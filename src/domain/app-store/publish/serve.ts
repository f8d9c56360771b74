import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { NotFoundError } from '../../../kernel/errors.ts';
import { offeredTemplate, offeredVersion } from '../reads.ts';

export const storePath = '/app-server/openapi/';

const versionForm =
  ({ key }: Row<'PublishedTemplate'>) =>
  (version: Row<'PublishedVersion'>) => ({
    appKeyID: key,
    appVersion: version.version,
    appVersionAlias: version.alias,
    desc: version.description,
    createTime: version.createdAt.toISOString(),
    updateTime: version.updatedAt.toISOString(),
    updateVersion: version.revision,
    enable: version.isEnabled,
  });

/**
 * This platform as an app store: the three calls of the store protocol, for a token of the enterprise.
 * Answers what is to be sent as JSON; anything else below the path is NOT_FOUND.
 */
export async function serveStore(context: Context, path: string): Promise<object> {
  const [collection, key, versions, version, ...rest] = path.slice(storePath.length).split('/').map(decoded);
  if (
    collection !== 'apps' ||
    !key ||
    rest.length > 0 ||
    (versions !== undefined && versions !== 'versions')
  ) {
    throw new NotFoundError('call');
  }
  if (version !== undefined) {
    const found = await offeredVersion(context, key, version);
    return {
      appKeyID: found.template.key,
      appName: found.template.name,
      version: found.version.version,
      versionAlias: found.version.alias,
      description: found.version.description,
      templateType: 'standard',
      updateTime: found.version.updatedAt.toISOString(),
      template: found.version.template,
    };
  }
  const found = await offeredTemplate(context, key);
  const offered = found.versions.map(versionForm(found.template));
  if (versions !== undefined) return { versions: offered };
  return {
    appKeyID: found.template.key,
    name: found.template.name,
    desc: found.template.description,
    logo: found.template.logo,
    versions: offered,
  };
}

/** A step of the path; what no text could be encoded to, or no key could hold, is nothing that is there. */
function decoded(step: string): string {
  try {
    const text = decodeURIComponent(step);
    if (!text.includes('\u0000')) return text;
  } catch {
    // Falls through to the same answer.
  }
  throw new NotFoundError('call');
}
