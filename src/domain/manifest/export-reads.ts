import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { sees } from '../../kernel/access.ts';
import { batched } from '../../kernel/batch.ts';
import { yieldToLoop } from '../../kernel/event-loop.ts';
import { groupBy } from '../../kernel/group.ts';
import { inTurn } from '../../kernel/in-turn.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { applicationById, wholeApplication } from '../application/reads.ts';
import { imageTag, isSecretName } from '../component/model.ts';
import type { Configuration } from '../gateway-rule/http/model.ts';
import { formatEndpoint } from '../gateway-rule/tcp/endpoint-model.ts';
import { defaultAlias } from '../port/model.ts';
import { loadRegion } from '../region/reads.ts';
import { loadTeam } from '../team/reads.ts';
import {
  applicationFields,
  componentFields,
  defaultSourceKind,
  httpFields,
  probesFields,
  shownConfiguration,
  shownFields,
  shownMapped,
  sourceFields,
  volumeFields,
} from './fields-model.ts';
import { defaultDomainOf } from './route-model.ts';
import { findFor, type Standing, type StandingComponent, standingOf } from './standing-reads.ts';
import { formatYaml } from './yaml-reads.ts';

/** An object that a document cannot express. */
export interface OmittedObject {
  object: 'COMPONENT' | 'DEPENDENCY' | 'TCP_ROUTE';
  component: string;
  name: string;
  reason: string;
}

export interface Export {
  document: string;
  omitted: OmittedObject[];
}

type Place = { team: Pick<Row<'Team'>, 'name'>; region: Pick<Row<'Region'>, 'httpDomain'> };
type Shown = { [field: string]: unknown };

/** Whether Trellis made the alias. */
const isGenerated = (alias: string) => /^gr[0-9a-f]{6}$/.test(alias);

const isEmpty = (value: object) => Object.keys(value).length === 0;
const unlessEmpty = (field: string, value: object | unknown[]): Shown =>
  isEmpty(value) ? {} : { [field]: value };

function variableEntry({
  name,
  label,
  value,
  isSecret,
  isChangeable,
  portNumber,
}: Row<'EnvironmentVariable'>) {
  const fields: Shown = {
    ...(isSecret ? { secret: 'preserve' } : { value: value ?? '' }),
    ...(!isSecret && isSecretName(name) && { isSecret: false }),
    ...(label !== name && { label }),
    ...(!isChangeable && { isChangeable }),
    ...(portNumber !== null && { portNumber }),
  };
  return isSecret || Object.keys(fields).length > 1 ? fields : fields.value;
}

function portEntry({ row, tcp }: StandingComponent, port: Row<'Port'>): Shown {
  const hasTcpRoute = tcp.some((rule) => rule.portId === port.id && !rule.isDefault);
  return {
    protocol: port.protocol,
    ...(port.alias !== defaultAlias(row.alias, port.number) && { alias: port.alias }),
    ...(port.isInner && { isInner: true }),
    // A TCP route opens its port unless the document says otherwise.
    ...((port.isOuter || hasTcpRoute) && { isOuter: port.isOuter }),
    ...(port.additionalName !== null && { serviceName: port.additionalName }),
  };
}

function componentEntry(component: StandingComponent, dependsOn: (string | object)[]): Shown {
  const { row, ports, volumes } = component;
  const variables = groupBy(component.variables, ({ scope }) => scope);
  const named = (scope: string) =>
    Object.fromEntries((variables.get(scope) ?? []).map((each) => [each.name, variableEntry(each)]));
  const isDefaultVersion = row.version === (imageTag(row.image) ?? 'latest');
  const isDefaultKind =
    row.sourceKind === defaultSourceKind(row) || row.sourceKind === 'market' || !row.sourceKind;
  const source = {
    ...(!isDefaultKind && { kind: row.sourceKind!.toUpperCase() }),
    ...shownFields(sourceFields, row),
  };
  return {
    image: row.image,
    ...(!isGenerated(row.alias) && { alias: row.alias }),
    ...(row.serviceName !== null && row.serviceName !== row.alias && { serviceName: row.serviceName }),
    ...(row.clusterName !== row.alias && { clusterName: row.clusterName }),
    ...(!isDefaultVersion && { version: row.version }),
    ...shownFields(componentFields, row),
    ...unlessEmpty('source', source),
    ...unlessEmpty('probes', shownFields(probesFields, row)),
    ...unlessEmpty('variables', named('environment')),
    ...unlessEmpty('connectionVariables', named('connection')),
    ...unlessEmpty(
      'volumes',
      Object.fromEntries(volumes.map((each) => [each.name, shownFields(volumeFields, each)])),
    ),
    ...unlessEmpty(
      'ports',
      Object.fromEntries(ports.map((port) => [String(port.number), portEntry(component, port)])),
    ),
    ...unlessEmpty('dependsOn', dependsOn),
  };
}

/** The settings of a route that are not its address. */
const routeSettings = (rule: Row<'HttpRule'>, certificates: Standing['certificates']): Shown => ({
  ...(rule.certificateId !== null &&
    certificates.has(rule.certificateId) && { certificate: certificates.get(rule.certificateId) }),
  ...shownFields(httpFields, rule),
  ...unlessEmpty('configuration', shownConfiguration(JSON.parse(rule.configuration) as Configuration)),
});

/** The routes of a component. A default rule without settings of its own comes with its port. */
function routesOf(
  component: StandingComponent,
  { certificates }: Standing,
  place: Place,
  omitted: OmittedObject[],
): Shown[] {
  const { row, http, tcp } = component;
  const numbers = new Map(component.ports.map(({ id, number }) => [id, number]));
  const own = groupBy(http, ({ portId }) => portId);
  const target = (rule: { portId: number }) => ({ component: row.name, port: numbers.get(rule.portId)! });
  const routes: Shown[] = [];
  for (const rules of own.values()) {
    const generated = rules.filter(
      (rule) =>
        rule.isDefault &&
        rule.domain === defaultDomainOf({ ...place, component: row, port: numbers.get(rule.portId)! }),
    );
    // A rule that a manifest has written stays in it.
    const isPlain = (rule: Row<'HttpRule'>) =>
      rule.manifestId === null && rule.path === '/' && isEmpty(routeSettings(rule, certificates));
    const comesWithPort = generated.length === 1 && isPlain(generated[0]!);
    for (const rule of rules) {
      const isGeneratedRule = generated.includes(rule);
      if (isGeneratedRule && comesWithPort) continue;
      routes.push({
        ...(!isGeneratedRule && { domain: rule.domain }),
        ...((rule.path !== '/' || isGeneratedRule) && { path: rule.path }),
        ...target(rule),
        ...routeSettings(rule, certificates),
      });
    }
  }
  for (const rule of tcp) {
    const extensions = JSON.parse(rule.extensions) as unknown[];
    const mappedAddress = shownMapped(rule);
    if (rule.isDefault) {
      if (extensions.length > 0 || mappedAddress !== null) {
        const name = formatEndpoint(rule.address, rule.portNumber);
        const reason = 'Its endpoint is assigned by the region, so its settings cannot be written.';
        omitted.push({ object: 'TCP_ROUTE', component: row.name, name, reason });
      }
      continue;
    }
    routes.push({
      endpoint: formatEndpoint(rule.address, rule.portNumber),
      ...target(rule),
      ...(mappedAddress !== null && { mappedAddress }),
      ...unlessEmpty('extensions', extensions),
    });
  }
  return routes;
}

const byName = (one: string | object, other: string | object) => {
  const [first, second] = [JSON.stringify(one), JSON.stringify(other)];
  return first < second ? -1 : first > second ? 1 : 0;
};

/** The component without the dependencies of other applications that the actor may not see. Itself if there are none. */
function withVisibleDependencies(
  { actor }: Pick<Context, 'actor'>,
  component: StandingComponent,
  { application, outside }: Standing,
): StandingComponent {
  if (!actor.isPartial) return component;
  const dependencies = component.dependencies.filter(({ dependencyId }) => {
    const applicationId = outside.get(dependencyId)?.applicationId;
    const { teamId } = application;
    return applicationId === undefined || sees(actor, { teamId, applicationId, componentId: dependencyId });
  });
  return dependencies.length === component.dependencies.length ? component : { ...component, dependencies };
}

/** The document of an application as it stands, and what it cannot express. */
export async function documentOf(
  context: Pick<Context, 'signal' | 'actor'>,
  standing: Standing,
  place: Place,
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
      findFor(context),
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
  return { document: format === 'json' ? `${json}\n` : await formatYaml(json), omitted };
}
