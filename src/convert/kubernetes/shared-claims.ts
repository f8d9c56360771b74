import { templateOf } from './claim.ts';
import type { FoundComponent, OmittedPart } from './model.ts';
import type { Imported } from './routes.ts';

interface User {
  component: FoundComponent;
  volume: FoundComponent['volumes'][number];
  /** Whether it has a folder of the claim alone. */
  isPart: boolean;
  /** Whether its own instances need a claim that they share. */
  isForSeveral: boolean;
}

/** The volumes of claims, by the names of the claims. */
function usersOf(found: readonly Imported[]): Map<string, User[]> {
  const users = new Map<string, User[]>();
  for (const { component, workload } of found) {
    const pod = templateOf(workload).spec;
    const mounts: { name: string; subPath?: string }[] = pod.containers[0].volumeMounts ?? [];
    const volumes = new Map(
      component.volumes.flatMap((each) => (each.type === 'share-file' ? [[each.name, each]] : [])),
    );
    for (const { name, persistentVolumeClaim } of pod.volumes ?? []) {
      const volume = volumes.get(name);
      const claim: string | undefined = persistentVolumeClaim?.claimName;
      if (!volume || !claim) continue;
      const isPart = mounts.some((mount) => mount.name === name && mount.subPath);
      const isForSeveral = component.extendMethod === 'state' && component.replicas > 1;
      const user = { component, volume, isPart, isForSeveral };
      const others = users.get(claim);
      if (others) others.push(user);
      else users.set(claim, [user]);
    }
  }
  return users;
}

/** Makes volumes of one claim a volume that components share, with the name of the claim. */
export function shareClaims(found: readonly Imported[], tell: (part: OmittedPart) => void): void {
  for (const [name, users] of usersOf(found)) {
    if (users.length < 2 && !users[0]!.isForSeveral) continue;
    const isTaken = ({ component, volume }: User) =>
      component.volumes.some((each) => each !== volume && each.name === name);
    if (users.some((user) => user.isPart || isTaken(user))) {
      const names = users.map(({ component }) => component.name).join(', ');
      const what = `that ${names} share it: each has a volume of its own`;
      tell({ kind: 'PersistentVolumeClaim', name, what, grade: 'LOST' });
      continue;
    }
    for (const { volume } of users) Object.assign(volume, { name, isShared: true });
    const what = 'that components share it wherever they run: the region needs a storage class for that';
    tell({ kind: 'PersistentVolumeClaim', name, what, grade: 'INFO' });
  }
}
