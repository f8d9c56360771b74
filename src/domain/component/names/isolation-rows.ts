import { findByKeys, reviseMany } from '../../../db/write/bulk.ts';
import { ConflictError } from '../../../kernel/errors.ts';
import { groupBy } from '../../../kernel/group.ts';
import type { ApplicationHooks } from '../../application/hooks.ts';
import { namespaceIdOf } from '../../application/model.ts';
import { lockComponents } from '../rows.ts';
import { requireFewWith } from '../size/rows.ts';
import { isInCluster } from '../state-model.ts';
import { lockNames, meetingClaims, namesInUse } from './reads.ts';

/** Moves the components of an application into the other namespace, as long as the cluster has nothing of them. */
export const namespaceOfComponents: ApplicationHooks = {
  isolating: async (write, { id, teamId, regionId }, isolation) => {
    const place = { team: { id: teamId }, region: { id: regionId } };
    const namespaceId = namespaceIdOf({ id, isolation });
    const other = namespaceIdOf({ id, isolation: isolation === 'own' ? 'team' : 'own' });
    const elsewhere = { where: { field: 'namespaceId', is: other } } as const;
    const ids = (
      await findByKeys(write, 'Component', 'applicationId', [id], ['id'], { fields: ['id'], ...elsewhere })
    ).map((row) => row.id);
    // Others wait while they are read and moved.
    await requireFewWith(write, { model: 'Component', ids });
    await lockComponents(write, ids);
    await lockNames(write, place);
    const moved = await findByKeys(write, 'Component', 'applicationId', [id], ['id'], elsewhere);
    const deployed = moved.find(isInCluster);
    if (deployed) {
      throw new ConflictError(
        `The namespace of the application can no longer change, because the component ${deployed.name} was deployed.`,
      );
    }
    if (moved.length === 0) return;
    const region = await write.tx.region.findUniqueOrThrow({ where: { id: regionId } });
    const names = await namesInUse(write, { ...place, region, namespaceId });
    const movedIds = moved.map((row) => row.id);
    const ports = await findByKeys(write, 'Port', 'componentId', movedIds, ['id'], {
      fields: ['componentId', 'additionalName'],
    });
    for (const row of moved) {
      const wanted = [
        row.serviceName,
        ...ports.flatMap((port) => (port.componentId === row.id ? port.additionalName : [])),
      ];
      const taken =
        names.clusterNameTaken(row.clusterName) ??
        wanted.flatMap((name) => (name && names.serviceNameTaken(name)) || [])[0];
      if (taken) {
        throw new ConflictError(
          `The component ${row.name} cannot be in the namespace of the team, because its name in the cluster or one of its service names is taken there.`,
        );
      }
    }
    await reviseMany(
      write,
      'Component',
      moved.map((row) => ({ id: row.id, data: { namespaceId, ownedClusterName: row.clusterName } })),
    );
    const volumes = await findByKeys(write, 'Volume', 'componentId', movedIds, ['id'], {
      fields: ['componentId', 'name', 'type'],
    });
    const volumesOf = groupBy(volumes, ({ componentId }) => componentId);
    const claiming = moved.map((row) => ({
      component: { ...row, namespaceId },
      volumes: volumesOf.get(row.id) ?? [],
    }));
    const [met] = await meetingClaims(write, place, claiming);
    if (met) {
      throw new ConflictError(
        `The volume ${met.volume} would have the same name in the namespace of the team as a volume of another component there.`,
      );
    }
  },
};
