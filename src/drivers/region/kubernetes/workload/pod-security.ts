import type { DesiredComponent } from '../../desired.ts';

/** The group that can write to the volumes of a component, whatever the user of its image is. */
const fsGroup = 1_000;

/** The security contexts of the pods of a component: at the level `restricted` unless it needs root. */
export function securityOf(
  { needsRoot }: Pick<DesiredComponent, 'needsRoot'>,
  hasData: boolean,
): { pod: object; container: object } {
  const seccompProfile = { type: 'RuntimeDefault' };
  if (needsRoot) return { pod: { seccompProfile }, container: { allowPrivilegeEscalation: false } };
  return {
    pod: {
      runAsNonRoot: true,
      seccompProfile,
      // Nobody but root can write to a new volume otherwise.
      ...(hasData && { fsGroup, fsGroupChangePolicy: 'OnRootMismatch' }),
    },
    container: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  };
}
