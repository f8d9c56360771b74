import { z } from 'zod';
import type { Issue } from '../../kernel/errors.ts';
import { inSlices, nextTurn, yieldToLoop } from '../../kernel/event-loop.ts';
import { displayName, issuesOf, visibleLine } from '../../kernel/validate.ts';
import { expectJson, filled, maxIssues, noTemplate, readItems, type Unique } from './answer.ts';
import { type TemplateComponent, templateComponent } from './template-component.ts';
import { credentialsIn, type TemplateCredential } from './template-credentials.ts';
import { type OmittedKey, omittedIn } from './template-omitted.ts';
import { templateRoute } from './template-route.ts';

export type { TemplateComponent } from './template-component.ts';
export type { OmittedKey } from './template-omitted.ts';

/** The limits of a template, for all components together. Each item becomes a row. */
export const templateLimits = {
  components: 500,
  variables: 10_000,
  ports: 5_000,
  volumes: 2_000,
  dependencies: 5_000,
  routes: 1_000,
  outerPorts: 1_000,
} as const;

/** The lists of a component, with the limit that each counts towards. */
const countedLists = {
  port_map_list: 'ports',
  service_env_map_list: 'variables',
  service_connect_info_map_list: 'variables',
  service_volume_map_list: 'volumes',
  dep_service_map_list: 'dependencies',
} as const satisfies Record<string, keyof typeof templateLimits>;

/** The issues of a template that exceeds a limit. Items are counted before they are parsed. */
function limitIssue(apps: readonly unknown[]): Issue | undefined {
  const counts = { ports: 0, variables: 0, volumes: 0, dependencies: 0 };
  for (const [index, app] of apps.entries()) {
    if (typeof app !== 'object' || app === null) continue;
    for (const [field, noun] of Object.entries(countedLists)) {
      const items = (app as { [field: string]: unknown })[field];
      if (!Array.isArray(items)) continue;
      counts[noun] += items.length;
      const most = templateLimits[noun];
      if (counts[noun] > most) {
        return {
          path: [index, field],
          message: `Must have at most ${most} ${noun} in all components together`,
        };
      }
    }
  }
  return undefined;
}

/** The id or version of a template. URLs resolve `.` and `..`, even if encoded. */
export const storeId = () => segment(255);

/** The version of a template. Shorter than an id, because versions are compared with each other. */
export const storeVersionName = () => segment(64);

const segment = (max: number) =>
  visibleLine(max).refine((value) => !/^\.\.?$/.test(value), 'Must not be `.` or `..`');

/** The fields of a template. Components and routes are parsed separately. */
const outline = z.object({
  group_key: storeId(),
  group_name: displayName(128),
  group_version: storeVersionName(),
  governance_mode: filled(displayName(64)),
  apps: z
    .unknown()
    .refine((apps) => Array.isArray(apps) && apps.length > 0, 'Must list at least one component')
    .pipe(
      z
        .array(z.unknown(), 'Must list at least one component')
        .max(templateLimits.components, `Must list at most ${templateLimits.components} components`),
    )
    .superRefine((apps, ctx) => {
      const issue = limitIssue(apps);
      if (issue) ctx.addIssue({ code: 'custom', ...issue });
    }),
  ingress_http_routes: z
    .array(z.unknown())
    .max(templateLimits.routes)
    .nullish()
    .transform((routes) => routes ?? []),
});

export type TemplateRoute = z.output<typeof templateRoute>;

/** The parts of an application template that an install uses. */
export interface AppTemplate {
  groupKey: string;
  groupName: string;
  groupVersion: string;
  governanceMode: string | null;
  components: TemplateComponent[];
  routes: TemplateRoute[];
}

/** A template, what of it is not used, and the credentials in it, which are not part of what is installed. */
export interface ReadTemplate {
  template: AppTemplate;
  omitted: OmittedKey[];
  credentials: TemplateCredential[];
}

const uniqueComponents: Unique<TemplateComponent>[] = [
  { field: 'service_key', of: ({ key }) => key },
  { field: 'service_share_uuid', of: ({ shareKey }) => shareKey },
];

/**
 * Parses the JSON value of a template, or returns all issues. Unknown fields are listed as omitted.
 * Yields after each component and route, because a large template would block the event loop.
 */
export function* readTemplate(
  value: unknown,
): Generator<void, (ReadTemplate & { issues?: undefined }) | { issues: Issue[] }> {
  const issues: Issue[] = [];
  const under = (...at: (string | number)[]) => ({
    count: () => issues.length,
    add: (path: (string | number)[], message: string) =>
      void issues.push({ path: [...at, ...path], message }),
  });
  const form = outline.safeParse(value);
  if (!form.success) issues.push(...issuesOf(form.error));
  const raw = typeof value === 'object' && value !== null ? (value as { [field: string]: unknown }) : {};
  const sound = (field: string) =>
    Array.isArray(raw[field]) && issues.every(({ path }) => path[0] !== field)
      ? (raw[field] as unknown[])
      : [];
  const components = yield* readItems(templateComponent, sound('apps'), uniqueComponents, under('apps'));
  const routes = yield* readItems(
    templateRoute,
    sound('ingress_http_routes'),
    [],
    under('ingress_http_routes'),
  );
  if (!form.success || !components || !routes || issues.length > 0) return { issues };
  const { group_key, group_name, group_version, governance_mode } = form.data;
  const template = {
    groupKey: group_key,
    groupName: group_name,
    groupVersion: group_version,
    governanceMode: governance_mode,
    ...resolveReferences(components, routes, under()),
  };
  if (issues.length > 0) return { issues };
  const names = components.map(({ name }) => name);
  return {
    template,
    omitted: yield* omittedIn(value, outline, names),
    credentials: yield* credentialsIn(value),
  };
}

/** Resolves the references of dependencies and routes to component keys. Unknown references are issues. */
function resolveReferences(
  all: readonly TemplateComponent[],
  givenRoutes: readonly TemplateRoute[],
  issues: { count(): number; add(path: (string | number)[], message: string): void },
): Pick<AppTemplate, 'components' | 'routes'> {
  const byKey = new Map(all.map((each) => [each.key, each]));
  const byShareKey = new Map(all.map((each) => [each.shareKey, each]));
  // A reference is a share key, a component key, or a component key followed by `+` and an id that is ignored.
  const find = (reference: string) =>
    byShareKey.get(reference) ?? byKey.get(reference) ?? byKey.get(reference.split('+')[0]!);
  const wrong = (path: (string | number)[], message: string) => {
    if (issues.count() <= maxIssues) issues.add(path, message);
  };

  const components = all.map((each, index) => {
    const keys = each.dependencies.flatMap((reference, place) => {
      const component = find(reference);
      if (component) return [component.key];
      wrong(
        ['apps', index, 'dep_service_map_list', place, 'dep_service_key'],
        'Must name a component of the template',
      );
      return [];
    });
    // Ignores duplicate dependencies.
    return { ...each, dependencies: [...new Set(keys)] };
  });

  const outer = all.reduce((sum, each) => sum + each.ports.filter(({ isOuter }) => isOuter).length, 0);
  if (outer > templateLimits.outerPorts) {
    wrong(['apps'], `Must open at most ${templateLimits.outerPorts} ports to the outside`);
  }

  const places = new Set<string>();
  const routes = givenRoutes.map((route, index) => {
    const at = (field: string) => ['ingress_http_routes', index, field];
    const target = find(route.componentKey);
    const open = target?.ports.find(({ number }) => number === route.port);
    if (!target) wrong(at('component_key'), 'Must name a component of the template');
    else if (!open) wrong(at('port'), 'Must be a port of the component');
    else if (open.protocol !== 'http' && open.protocol !== 'grpc') {
      wrong(at('port'), 'Must be a port with the protocol http or grpc');
    }
    // A component can be referenced in several ways.
    const place = JSON.stringify([target?.key ?? route.componentKey, route.port, route.path]);
    if (places.has(place)) wrong(at('location'), 'Duplicate location for this component and port');
    places.add(place);
    return { ...route, componentKey: target?.key ?? route.componentKey };
  });
  return { components, routes };
}

/** Parses the text of a template. Throws STORE_UNAVAILABLE with the path of each issue. */
export async function parseTemplate(text: string, signal?: AbortSignal): Promise<ReadTemplate> {
  // The text was parsed in this turn, as a part of its answer.
  await nextTurn();
  const value = expectJson(text, 'template');
  await yieldToLoop(signal);
  const read = await inSlices(readTemplate(value), signal);
  if (read.issues) throw noTemplate(read.issues, 'template');
  return read;
}
