import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { yieldToLoop } from '../../kernel/event-loop.ts';
import { inTurn } from '../../kernel/in-turn.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { namespaceIdOf } from '../application/model.ts';
import { loadApplication, visibleApplication } from '../application/reads.ts';
import type { DeployedSpec } from '../component/deploy/deployment-model.ts';
import { componentById, loadComponent } from '../component/reads.ts';
import type { PlainVariable } from '../component/variables/reads.ts';
import { formatYaml } from '../manifest/yaml-reads.ts';
import type { ManifestChange } from '../plan/model.ts';
import { sceneWithin } from '../plan/scene.ts';
import { loadRegion } from '../region/reads.ts';
import { loadTeam } from '../team/reads.ts';
import { restored, shownEntry, standingAt } from './entry-model.ts';
import { planRestored } from './plan-model.ts';
import { idByNumber, lastIdOf, type ReleaseRow, sealedById, specOf, visibleNames } from './reads.ts';

/** The components that a caller may see. Others are left out, and those that were deleted. */
async function dependenciesOf(context: Context, ids: readonly string[]): Promise<Row<'Component'>[]> {
  const rows = await Promise.all(ids.map((id) => componentById(context, id)));
  const components = rows.flatMap((component) => component ?? []);
  const visible = visibleNames(context, components);
  return components.filter(({ id }) => visible.has(id));
}

type Format = 'yaml' | 'json';

/** The texts made of a release for a request, which can have it under hundreds of aliases. */
const made = memoizeByIdentity((_: object) => ({
  manifests: new Map<Format, Promise<string>>(),
  diffs: new Map<number, Promise<ManifestChange[]>>(),
}));

/** The value that was made for the key. Values of a request are made one after another, because each can be large. */
function once<K, T>(
  context: Context,
  values: Map<K, Promise<T>>,
  key: K,
  make: () => Promise<T>,
): Promise<T> {
  const stored = values.get(key);
  if (stored) return stored;
  const value = inTurn(context, async () => {
    await yieldToLoop(context.signal);
    return make();
  });
  values.set(key, value);
  return value;
}

/** The configuration of a release, as a manifest of its application with the component alone. */
export async function manifestOfRelease(
  context: Context,
  release: Pick<ReleaseRow, 'id' | 'componentId'>,
  format: Format,
): Promise<string | null> {
  const [sealed, component] = await Promise.all([
    sealedById(context, release.id),
    loadComponent(context, release.componentId),
  ]);
  if (!sealed) return null;
  const application = await loadApplication(context, component.applicationId);
  return once(context, made(sealed).manifests, format, async () => {
    const spec = specOf(context, sealed);
    const dependencies = await dependenciesOf(context, spec.dependencies);
    const dependsOn = await Promise.all(
      dependencies.map(async ({ name, applicationId }) => {
        if (applicationId === application.id) return name;
        const outside = await visibleApplication(context, applicationId);
        return outside ? [{ application: outside.name, component: name }] : [];
      }),
    );
    const entry = shownEntry(spec, dependsOn.flat());
    const document = { application: application.name, components: { [component.name]: entry } };
    const json = JSON.stringify(document, null, 2);
    context.budget?.expectText(json.length);
    return format === 'json' ? `${json}\n` : formatYaml(json, context);
  });
}

/** A tag that was moved between two releases is a change of the component. */
function withDigest(
  changes: ManifestChange[],
  name: string,
  before: string | null,
  after: string | null,
): ManifestChange[] {
  if (before === after) return changes;
  const field = { field: 'digest', before, after, isSecret: false };
  const update = changes.find(({ object, action }) => object === 'COMPONENT' && action === 'UPDATE');
  if (update)
    return changes.map((change) =>
      change === update ? { ...update, fields: [...update.fields, field] } : change,
    );
  const target = { object: 'COMPONENT', component: null, name } as const;
  return [
    { ...target, action: 'UPDATE', fields: [field], isDestructive: false, takesEffect: 'NEXT_DEPLOY' },
    ...changes,
  ];
}

/** The changes from one release of a component to another one. Null if it has no release with the number. */
export async function diffOf(
  context: Context,
  release: Pick<ReleaseRow, 'id' | 'componentId'>,
  to: number | null | undefined,
): Promise<ManifestChange[] | null> {
  const toId =
    to == null
      ? await lastIdOf(context, release.componentId)
      : await idByNumber(context, release.componentId, to);
  if (toId === null) return null;
  const [before, after, component] = await Promise.all([
    sealedById(context, release.id),
    sealedById(context, toId),
    loadComponent(context, release.componentId),
  ]);
  if (!before || !after) return null;
  const [application, team, region] = await Promise.all([
    loadApplication(context, component.applicationId),
    loadTeam(context, component.teamId),
    loadRegion(context, component.regionId),
  ]);
  return once(context, made(before).diffs, toId, async () => {
    const [was, is] = [specOf(context, before), specOf(context, after)];
    const current = standingAt(component, was);
    const none = new Map();
    const scene = sceneWithin(context, {
      team,
      region,
      namespaceId: namespaceIdOf(application),
      prune: 'owned',
      plainVariables: new Map([[component.id, current.variables as PlainVariable[]]]),
      standing: {
        application,
        manifest: null,
        components: [current],
        groups: none,
        outside: none,
        certificates: none,
      },
    });
    const ids = new Set([was, is].flatMap(({ dependencies }: DeployedSpec) => dependencies));
    const names = visibleNames(context, await dependenciesOf(context, [...ids]));
    planRestored(scene, current, restored(is, current, { keepsData: false }), names);
    const changes = scene.list.changes.map((change) => ({ ...change, isDestructive: false }));
    return withDigest(changes, component.name, before.digest, after.digest);
  });
}
