import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { NotFoundError } from '../../../kernel/errors.ts';
import { offeredTemplate, offeredVersion, type PublishedVersionRow } from './reads.ts';

export const storePath = '/app-server/openapi/';

const versionForm =
  ({ key }: Row<'PublishedTemplate'>) =>
  (version: PublishedVersionRow) => ({
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
 * Serves the three calls of the store protocol, for tokens of the enterprise.
 * Returns the JSON response. Other paths are NOT_FOUND.
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

/** Decodes a segment of the path. NOT_FOUND if it is not valid or cannot be a key. */
function decoded(step: string): string {
  try {
    const text = decodeURIComponent(step);
    if (!text.includes('\u0000')) return text;
  } catch {
    // Falls through to NOT_FOUND.
  }
  throw new NotFoundError('call');
}
