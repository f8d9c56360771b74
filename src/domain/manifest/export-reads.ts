import type { Context } from '../../context.ts';
import { unlocked } from '../../db/write/reading.ts';
import { sees } from '../../kernel/access.ts';
import { batched } from '../../kernel/batch.ts';
import { yieldToLoop } from '../../kernel/event-loop.ts';
import { inTurn } from '../../kernel/in-turn.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { applicationById, wholeApplication } from '../application/reads.ts';
import { applicationFields, shownFields } from '../plan/fields-model.ts';
import { type Standing, type StandingComponent, seesOutside, standingOf } from '../plan/standing-reads.ts';
import { loadRegion } from '../region/reads.ts';
import { loadTeam } from '../team/reads.ts';
import {
  componentEntry,
  type ManifestNames,
  type OmittedObject,
  routesOf,
  type Shown,
  unlessEmpty,
  withoutDataIn,
} from './entry-reads.ts';
import { formatYaml } from './yaml-reads.ts';

export interface Export {
  document: string;
  omitted: OmittedObject[];
}

const byName = (one: string | object, other: string | object) => {
  const [first, second] = [JSON.stringify(one), JSON.stringify(other)];
  return first < second ? -1 : first > second ? 1 : 0;
};

/** The component without the dependencies of other applications that the actor may not see. Itself if there are none. */
function withVisibleDependencies(
  context: Pick<Context, 'actor'>,
  component: StandingComponent,
  standing: Standing,
): StandingComponent {
  const dependencies = component.dependencies.filter(({ dependencyId }) => {
    const outside = standing.outside.get(dependencyId);
    return outside === undefined || seesOutside(context, standing, outside);
  });
  return dependencies.length === component.dependencies.length ? component : { ...component, dependencies };
}

/** The document of an application as it stands, and what it cannot express. */
async function documentOf(
  context: Pick<Context, 'signal' | 'actor'>,
  standing: Standing,
  place: ManifestNames,
): Promise<{ document: Shown; omitted: OmittedObject[] }> {
  const omitted: OmittedObject[] = [];
  const expressed = new Map<string, StandingComponent>();
  for (const component of standing.components) {
    const { name, alias } = component.row;
    if (!expressed.has(name)) expressed.set(name, component);
    else
      omitted.push({
        object: 'COMPONENT',
        component: name,
        name: alias,
        reason: 'Another component has the same name.',
      });
  }
  const names = new Map([...expressed.values()].map(({ row }) => [row.id, row.name]));
  const components: [string, Shown][] = [];
  const routes: Shown[] = [];
  for (const component of expressed.values()) {
    const seen = withVisibleDependencies(context, component, standing);
    const dependsOn = seen.dependencies.flatMap(({ dependencyId }): (string | object)[] => {
      const name = names.get(dependencyId);
      if (name !== undefined) return [name];
      const outside = standing.outside.get(dependencyId);
      if (outside) return [{ application: outside.application, component: outside.component }];
      const reason = 'It is a component with the same name as another one.';
      omitted.push({ object: 'DEPENDENCY', component: component.row.name, name: dependencyId, reason });
      return [];
    });
    const entry = componentEntry(component, dependsOn.sort(byName));
    if (seen !== component) {
      // A list without what the caller may not see would remove it.
      delete entry.dependsOn;
      const reason = 'One of its dependencies is not visible to you.';
      omitted.push({ object: 'DEPENDENCY', component: component.row.name, name: 'dependsOn', reason });
    }
    omitted.push(...withoutDataIn(component));
    components.push([component.row.name, entry]);
    routes.push(...routesOf(component, standing, place, omitted));
    await yieldToLoop(context.signal);
  }
  const { application } = standing;
  const document = {
    application: application.name,
    ...shownFields(applicationFields, application),
    ...unlessEmpty('components', Object.fromEntries(components)),
    ...unlessEmpty('routes', routes),
  };
  return { document, omitted };
}

const standingById = batched(
  async (context: Context, ids: number[]) => {
    const applications = await Promise.all(ids.map((id) => applicationById(context, id)));
    return standingOf(
      unlocked(context),
      applications.flatMap((application) => application ?? []),
      async (componentIds) => {
        const size = { by: 'componentId', keys: componentIds, text: 'fileContent' } as const;
        context.budget?.expectText(await context.db.volume.textSizeByKeys(size));
        return componentIds;
      },
    );
  },
  null,
  'manifest',
);

type Format = 'yaml' | 'json';

/** A document can have the manifest of one application under hundreds of aliases. */
const exportsOf = memoizeByIdentity((_: Standing) => new Map<Format, Promise<Export>>());

/** The manifest of an application as it is, as YAML or JSON. Null for callers who may see only a part of it. */
export async function exportOf(
  context: Context,
  applicationId: number,
  format: Format,
): Promise<Export | null> {
  if (!(await wholeApplication(context, applicationId))) return null;
  const standing = await standingById(context, applicationId);
  if (!standing) return null;
  const made = exportsOf(standing);
  const known = made.get(format);
  if (known) return known;
  // One after another, because each takes several times its length in memory while it is made.
  const result = inTurn(context, () => exportAs(context, standing, format));
  made.set(format, result);
  return result;
}

async function exportAs(context: Context, standing: Standing, format: Format): Promise<Export> {
  const { application } = standing;
  const [team, region] = await Promise.all([
    loadTeam(context, application.teamId),
    loadRegion(context, application.regionId),
  ]);
  // Certificates belong to the team, so that those who may see only an application get its routes without their names.
  const isWithCertificates = !context.actor.isPartial || sees(context.actor, { teamId: team.id });
  const shown = isWithCertificates ? standing : { ...standing, certificates: new Map<number, string>() };
  const { document, omitted } = await documentOf(context, shown, { team, region });
  const json = JSON.stringify(document, null, 2);
  context.budget?.expectText(json.length);
  return { document: format === 'json' ? `${json}\n` : await formatYaml(json, context), omitted };
}
