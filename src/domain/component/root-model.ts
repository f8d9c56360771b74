import { z } from 'zod';
import type { Row } from '../../db/tables.ts';
import { ConflictError } from '../../kernel/errors.ts';

export const needsRootField = z
  .boolean()
  .nullish()
  .describe(
    'Whether the processes of the image need to run as root. Defaults to false: instances then start only if the image specifies another user by its number. The region must allow root.',
  );

/** A component that was deployed by an earlier version of Trellis, which restricted none. */
export const needsRootBefore = true;

type Region = Pick<Row<'Region'>, 'name' | 'allowsRoot'>;

/** Why a component cannot need root in a region. Undefined if it can, or does not. */
export const rootProblem = (needsRoot: boolean | null | undefined, { name, allowsRoot }: Region) =>
  needsRoot && !allowsRoot
    ? `Must not be true in the region ${name}, which does not allow components that need root: set it to false, and use an image that runs as another user`
    : undefined;

/** CONFLICT if a region that no longer allows it has to deploy components that need root. */
export function requireRootAllowed(
  components: readonly Pick<Row<'Component'>, 'name' | 'needsRoot'>[],
  { name, allowsRoot }: Region,
): void {
  const refused = components.find(({ needsRoot }) => needsRoot && !allowsRoot);
  if (!refused) return;
  throw new ConflictError(
    `The component ${refused.name} cannot be deployed, because it needs root, which the region ${name} does not allow. Use an image that runs as another user and set \`needsRoot\` to false.`,
  );
}
