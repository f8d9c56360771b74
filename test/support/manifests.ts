import { type Place, refsOf } from './fixtures.ts';
import type { Trellis } from './trellis.ts';

export interface Plan {
  digest: string;
  changes: {
    action: string;
    object: string;
    component: string | null;
    name: string;
    fields: { field: string; before: string | null; after: string | null; isSecret: boolean }[];
    isDestructive: boolean;
    takesEffect: string;
  }[];
  leftOver: { object: string; component: string | null; name: string }[];
  adopted: { object: string; component: string | null; name: string }[];
  leftStopped: string[];
}

const object = 'object component name';
export const planSelection = `digest changes { action ${object} fields { field before after isSecret } isDestructive takesEffect } leftOver { ${object} } adopted { ${object} } leftStopped`;

/** The plan, or the error of the request. */
export async function tryPlan(
  trellis: Trellis,
  place: Place,
  document: string,
  { prune, token }: { prune?: 'NONE' | 'OWNED'; token?: string } = {},
) {
  const { data, errors } = await trellis.graphql(
    `query ($team: TeamRef!, $region: RegionRef!, $document: String!, $prune: ManifestPruneMode) {
      planManifest(team: $team, region: $region, document: $document, prune: $prune) { ${planSelection} }
    }`,
    { ...refsOf(place), document, prune },
    ...(token === undefined ? [] : [token]),
  );
  return { plan: data?.planManifest as Plan | undefined, error: errors?.[0] };
}

export async function plan(...args: Parameters<typeof tryPlan>): Promise<Plan> {
  const { plan: planned, error } = await tryPlan(...args);
  if (!planned) throw new Error(JSON.stringify(error));
  return planned;
}

const applySelection = `application { appId: uid name } job { uid kind status components { nodes { name status } } } plan { ${planSelection} }`;

/** The payload of an apply, or its error. */
export const tryApply = (
  trellis: Trellis,
  place: Place,
  document: string,
  options: object = {},
  token?: string,
) => trellis.attempt('applyManifest', { ...refsOf(place), document, ...options }, applySelection, token);

export async function apply(...args: Parameters<typeof tryApply>) {
  const result = await tryApply(...args);
  if (result.__typename !== 'ApplyManifestPayload') throw new Error(JSON.stringify(result));
  return result as { application: { appId: number; name: string }; job: any; plan: Plan };
}

/** The application as a manifest. */
export async function exported(trellis: Trellis, appId: number, format: 'YAML' | 'JSON' = 'YAML') {
  const { application } = await trellis.data(
    `query ($by: ApplicationRef!, $format: ManifestFormat) {
      application(by: $by) { manifest(format: $format) { document omitted { object component name reason } } }
    }`,
    { by: { appId }, format },
  );
  return application.manifest as {
    document: string;
    omitted: { object: string; component: string; name: string; reason: string }[];
  };
}

/** The application as a manifest in both formats, by one request. */
export async function exportedInBoth(
  trellis: Trellis,
  appId: number,
): Promise<{ yaml: string; json: string }> {
  const { application } = await trellis.data(
    `query ($by: ApplicationRef!) {
      application(by: $by) { yaml: manifest { document } json: manifest(format: JSON) { document } }
    }`,
    { by: { appId } },
  );
  return { yaml: application.yaml.document, json: application.json.document };
}

/** What a plan changes, in short: `CREATE PORT web 80`. */
export const shortly = ({ changes }: Pick<Plan, 'changes'>) =>
  changes.map(({ action, object: kind, component, name, fields }) =>
    [
      action,
      kind,
      component,
      name,
      fields.map(({ field, before, after }) => `${field}: ${before} -> ${after}`).join(', '),
    ]
      .filter((part) => part !== null && part !== '')
      .join(' '),
  );

/**
 * The document of an application as that of another one: with another name and other domains, and with values for the
 * secrets, which an export leaves out.
 */
export const elsewhere = (json: string, application: string, domain = `${application}.example`): string =>
  JSON.stringify({ ...JSON.parse(json), application }, (key, value) => {
    if (key === 'domain') return `${value.split('.')[0]}.${domain}`;
    if (value?.secret === 'preserve') return { ...value, secret: undefined, value: 'given', isSecret: true };
    return value;
  });

/** What the copy of an application has to have, too: everything but its name and its domains. */
export const comparable = (json: string) => {
  const { routes = [], ...rest } = JSON.parse(json, (key, value) =>
    key === 'application' ? undefined : key === 'domain' ? value.split('.')[0] : value,
  );
  // Routes are in the order of their domains.
  return { ...rest, routes: routes.map((route: object) => JSON.stringify(route)).sort() };
};
