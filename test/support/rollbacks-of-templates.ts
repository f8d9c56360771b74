import { beforeAll, describe, expect, it } from 'vitest';
import { templateText, versionsOf } from './templates.ts';
import { type Trellis, useTrellis } from './trellis.ts';
import { upgradesOf } from './upgrades.ts';

/** Everything that an upgrade can change, by component. */
export async function upgradeState(trellis: Trellis, appId: number): Promise<Record<string, any>> {
  const { application } = await trellis.data(
    `{ application(by: { appId: ${appId} }) { templateName version components(first: 100) { nodes {
      uid alias name status: state image version command replicas cpuMillicores memoryMiB extendMethod category serviceName source { language }
      ports { nodes { number protocol alias isInner isOuter additionalName } }
      variables(first: 100) { nodes { name label value scope isSecret isChangeable } }
      volumes { nodes { name path type fileContent } }
      dependencies { nodes { uid } }
      gatewayRules { http { nodes { domain path isPublished isDefault } } tcp { nodes { isPublished isDefault } } }
    } } } }`,
  );
  const { components, ...shown } = application;
  return { ...shown, ...Object.fromEntries(components.nodes.map((each: any) => [each.uid, each])) };
}

const real = ['bookinfo', 'online-boutique', 'sock-shop'] as const;
/** The versions of a real application, the oldest first. */
export const orderedVersions = (application: string) => {
  const numbers = (version: string) => version.replace(/^v/, '').split('.').map(Number);
  return versionsOf(application).sort((one, other) => {
    const [a, b] = [numbers(one), numbers(other)];
    return a.map((part, index) => part - b[index]!).find((difference) => difference !== 0) ?? 0;
  });
};

/** Every upgrade of a real application from a version to a later one. */
export const upgradePairs = real.flatMap((application) =>
  orderedVersions(application).flatMap((from, index, all) =>
    all.slice(index + 1).map((to) => [application, from, to] as const),
  ),
);

/** Upgrades real applications from one version to the other, rolls that back, and upgrades again. */
export function describeRollbacksOfTemplates(pairs: typeof upgradePairs): void {
  describe('rollbackUpgrade of real templates', () => {
    const trellis = useTrellis();
    let { install, upgrade, rollBack } = {} as ReturnType<typeof upgradesOf>;
    const keys = new Map<string, string>();
    beforeAll(async () => {
      ({ install, upgrade, rollBack } = upgradesOf(trellis));
      for (const application of real) {
        for (const version of versionsOf(application)) {
          const { template } = await trellis.succeed(
            'publishTemplate',
            { template: templateText(application, version) },
            'template { key }',
          );
          keys.set(application, template.key);
        }
      }
    });

    it.each(pairs)(
      'undoes the upgrade of %s from %s to %s, which then ends the same',
      async (name, from, to) => {
        const key = keys.get(name)!;
        const { appId } = await trellis.createApplication(await trellis.createPlace());
        const { group } = await install(appId, key, from);
        const before = await upgradeState(trellis, appId);
        expect((await upgrade(appId, key, to)).message).toBeUndefined();
        const upgraded = await upgradeState(trellis, appId);

        const planned = await rollBack(group.uid, true);
        expect(await upgradeState(trellis, appId)).toEqual(upgraded);
        const done = await rollBack(group.uid);
        expect(done).toMatchObject({
          group: { templateVersion: from, rollbackVersion: null },
          outcome: { fromVersion: to, toVersion: from },
        });
        expect(planned.outcome).toEqual(done.outcome);
        const back = await upgradeState(trellis, appId);
        for (const [uid, component] of Object.entries(before)) {
          if (typeof component === 'string') {
            expect(back[uid]).toBe(component);
            continue;
          }
          const { volumes, ...rest } = back[uid];
          expect(rest).toEqual({ ...component, volumes: undefined });
          // Volumes are never deleted.
          expect(volumes.nodes).toEqual(expect.arrayContaining(component.volumes.nodes));
        }
        for (const uid of Object.keys(upgraded).filter((each) => !(each in before))) {
          expect(back[uid].status).toBe('STOPPED');
        }

        expect((await upgrade(appId, key, to)).message).toBeUndefined();
        expect(await upgradeState(trellis, appId)).toEqual(upgraded);
      },
    );
  });
}
