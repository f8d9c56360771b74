import type { Row } from '../../db/tables.ts';
import { autoscalingColumnsOf, autoscalingOf } from '../component/autoscaling/model.ts';
import { hasClaim } from '../component/names/model.ts';
import { dataProblem } from '../component/snapshots/model.ts';
import { isForOneInstance, sharingProblem } from '../component/volumes/model.ts';
import { type Addresses, otherAddress } from './addresses-reads.ts';
import type { Copied, CopyOptions, Tell } from './scene-reads.ts';

/** The volumes of the new components, without data but for that of snapshots. */
export function volumesOf(
  copied: readonly Copied[],
  region: Row<'Region'>,
  { renamed }: Addresses,
  { volumes, snapshots }: CopyOptions,
  omit: Tell,
): void {
  for (const { current, work } of copied) {
    const component = work.name;
    let isUnshared = false;
    for (const volume of [...current.volumes].sort((one, other) => one.id - other.id)) {
      const { name, path, type, capacityGiB, accessMode, sharePolicy } = volume;
      if (current.snapshotSchedules.has(volume.id)) {
        const reason = 'It keeps snapshots of the data of the original.';
        omit({ kind: 'snapshot_schedule', component, name, reason });
      }
      if (volumes === 'omit' && hasClaim(volume)) {
        omit({ kind: 'volume', component, name, reason: 'Volumes are left out.' });
        continue;
      }
      const source = snapshots?.get(volume.id);
      if (volumes === 'from_snapshot' && !source && hasClaim(volume)) {
        const reason = dataProblem(volume) ?? 'The volume has no ready snapshot and is empty in the copy.';
        omit({ kind: 'volume', component, name, reason });
      }
      const problem = sharingProblem(volume, region);
      if (problem) omit({ kind: 'volume', component, name, reason: problem });
      isUnshared ||= problem !== undefined;
      const fileContent = renamed(volume.fileContent);
      if (fileContent !== volume.fileContent)
        omit({ kind: 'address', component, name, reason: otherAddress });
      const isShared = volume.isShared && !problem;
      work.volumes.create.push({
        componentId: work.row.id,
        ...{ name, path, type, fileContent, capacityGiB, accessMode, sharePolicy, isShared },
        source: source ? JSON.stringify(source) : null,
      });
    }
    // Instances cannot share a volume that is no longer shared.
    if (isUnshared && autoscalingOf(work.row) && work.volumes.create.some(isForOneInstance)) {
      Object.assign(work.row, autoscalingColumnsOf(null));
    }
  }
}
