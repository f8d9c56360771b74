/** The requests that are measured while a database grows: every query of the console, and the lists of a team and of all teams. */
import { readdirSync } from 'node:fs';
import {
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLObjectType,
  Kind,
  type OperationDefinitionNode,
  print,
} from 'graphql';
import { schema } from '../../src/api.ts';
import { newTeam, smallTeam } from './growth-data.ts';

export interface Query {
  name: string;
  team: TeamSize;
  body: { query: string; variables: { [name: string]: unknown } };
}

type TeamSize = 'large' | 'small' | 'new' | 'all';

/** Sends a document, and returns its data. */
type Send = (query: string, variables?: object) => Promise<any>;

/** Values of variables: by name and type, or by type. Without one, an optional variable is left out. */
type Values = { [nameOrType: string]: unknown };

export async function queriesFor(send: Send): Promise<Query[]> {
  const { teams } = await send(
    '{ teams(first: 1, orderBy: { field: CREATED_AT, direction: ASC }) { nodes { name } } }',
  );
  const documents = await consoleQueries();
  const queries: Query[] = [];
  const names = [
    ['large', teams.nodes[0].name],
    ['small', smallTeam],
    ['new', newTeam],
  ] as const;
  for (const [team, name] of names) {
    const values = await valuesOf(send, name);
    for (const [document, operation] of documents) {
      // Others are of no team.
      const takesTeam = operation.variableDefinitions?.some(({ type }) => type.kind === Kind.NON_NULL_TYPE);
      if (team !== 'large' && !takesTeam) continue;
      const variables = variablesOf(operation, values);
      if (variables)
        queries.push({
          name: `console: ${operation.name!.value}`,
          team: takesTeam ? team : 'all',
          body: { query: print(document), variables },
        });
    }
    const by = values.TeamRef;
    for (const [field, text] of listsOf('Team'))
      queries.push({
        name: `team: ${field}`,
        team,
        body: { query: `query List($by: TeamRef!) { team(by: $by) { ${text} } }`, variables: { by } },
      });
  }
  for (const [field, text] of listsOf('Query'))
    queries.push({ name: field, team: 'all', body: { query: `{ ${text} }`, variables: {} } });
  queries.push({
    name: 'teams { componentCount }',
    team: 'all',
    body: { query: '{ teams(first: 20) { nodes { name componentCount } } }', variables: {} },
  });
  return queries;
}

/** Each with what it is printed of, which has its fragments. */
async function consoleQueries(): Promise<[DocumentNode, OperationDefinitionNode][]> {
  const folder = new URL('../../src/console/documents/', import.meta.url);
  const found = new Map<string, [DocumentNode, OperationDefinitionNode]>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.ts'))) {
    const exported: unknown[] = Object.values(await import(new URL(file, folder).href));
    for (const each of exported) {
      const document = each as DocumentNode;
      if (document?.kind !== Kind.DOCUMENT) continue;
      for (const definition of document.definitions) {
        if (definition.kind !== Kind.OPERATION_DEFINITION || definition.operation !== 'query') continue;
        found.set(definition.name!.value, [document, definition]);
      }
    }
  }
  return [...found.values()];
}

/** Undefined if there is nothing in the team that a variable needs. */
function variablesOf({ name, variableDefinitions = [] }: OperationDefinitionNode, values: Values) {
  const variables: { [name: string]: unknown } = {};
  for (const { variable, type } of variableDefinitions) {
    const isRequired = type.kind === Kind.NON_NULL_TYPE;
    const typeName = print(isRequired ? type.type : type);
    const value =
      values[`${name!.value}.${variable.name.value}`] ??
      values[`${variable.name.value}: ${typeName}`] ??
      values[typeName];
    if (!isRequired) continue;
    if (value === undefined) return undefined;
    variables[variable.name.value] = value;
  }
  return variables;
}

/** References to objects of a team. */
async function valuesOf(send: Send, name: string): Promise<Values> {
  const { team, viewer } = await send(
    `query Objects($name: String!) {
      viewer { user { id } }
      team(by: { name: $name }) {
        id
        regions(first: 1) { nodes { id } }
        applications(first: 1) { nodes { id components(first: 1) { nodes {
          id ports(first: 1) { nodes { id } } runs(first: 1) { nodes { id } } volumes(first: 1) { nodes { id } }
        } } } }
        jobs(first: 1) { nodes { id } }
        webhooks(first: 1) { nodes { id } }
        httpRules(first: 1) { nodes { id } }
        serviceAccounts(first: 1) { nodes { id } }
      }
    }`,
    { name },
  );
  const [application] = team.applications.nodes;
  const component = application?.components.nodes[0];
  const [region] = team.regions.nodes;
  const ref = (object: { id: string } | undefined) => object && { id: object.id };
  const team_ = { id: team.id };
  return {
    TeamRef: team_,
    RegionRef: ref(region),
    ApplicationRef: ref(application),
    ComponentRef: ref(component),
    PortRef: ref(component?.ports.nodes[0]),
    RunRef: ref(component?.runs.nodes[0]),
    JobRef: ref(team.jobs.nodes[0]),
    WebhookRef: ref(team.webhooks.nodes[0]),
    UserRef: ref(viewer.user),
    'Rule.id': team.httpRules.nodes[0]?.id,
    'Look.id': component?.id,
    'Snapshots.id': component?.volumes.nodes[0]?.id,
    'AccountTokens.id': team.serviceAccounts.nodes[0]?.id,
    'of: [TeamRegionRef!]': [{ team: team_, region: ref(region) }],
    UsagePeriod: 'HOUR',
    'first: Int': 100,
    Boolean: true,
    'search: String': 'orders',
    'text: String': 'orders',
    'rest: String': 'orders',
    'name: String': 'web',
  };
}

/** Filters of lists, some of which find nothing. */
const filters: { [argument: string]: readonly string[] } = {
  action: ['"port.create"', '"volume.create"'],
  objectType: ['"Port"', '"Volume"'],
  objectUid: ['"no-such-object"'],
  since: ['"2026-11-01T00:00:00Z"', '"2026-12-31T00:00:00Z"'],
  until: ['"2026-03-01T00:00:00Z"', '"2026-01-01T00:00:00Z"'],
  hasProblems: ['true', 'false'],
  state: ['RUNNING', 'EMPTY'],
  desiredState: ['STOPPED'],
  search: ['"e"', '"no-such-object"'],
  words: ['"e"', '"no-such-object nowhere"'],
  image: ['"no-such-image"'],
  kind: [],
  status: ['FAILED', 'RUNNING'],
  isPublished: ['true'],
  hasCertificate: ['false'],
  protocol: ['HTTP', 'MYSQL'],
  templateId: ['"no-such-template"'],
  orderBy: ['{ field: CREATED_AT, direction: DESC }', '{ field: NAME }'],
};

/** Combinations that pages of the console use. */
const combined: { [list: string]: readonly string[] } = {
  events: ['since: "2026-03-01T00:00:00Z", until: "2026-03-02T00:00:00Z"'],
  httpRules: ['isPublished: true, hasCertificate: false', 'isPublished: true, search: "e"'],
};

/** The lists among the fields of a type: each without arguments and with each filter, as a page and as a count. */
function listsOf(typeName: 'Query' | 'Team'): [name: string, text: string][] {
  const fields = Object.values((schema.getType(typeName) as GraphQLObjectType).getFields());
  const lists = fields.filter(({ type }) => String(type).replace('!', '').endsWith('Connection'));
  return lists.flatMap(({ name, args }) =>
    ['', ...args.flatMap(filtersOf), ...(combined[name] ?? [])].flatMap((filter): [string, string][] => {
      const given = filter && `(${filter})`;
      const counted = filter ? `(first: 0, ${filter})` : '(first: 0)';
      return [
        [`${name}${given}`, `${name}${given} { nodes { id } }`],
        [`${name}${given} { totalCount }`, `${name}${counted} { totalCount }`],
      ];
    }),
  );
}

const filtersOf = ({ name, type }: GraphQLArgument): string[] => {
  const values = filters[name] ?? [];
  const isEnum = String(type).endsWith('Order') || String(type).endsWith('Status');
  return values
    .filter((value) => !isEnum || isValueOf(String(type), value))
    .map((value) => `${name}: ${value}`);
};

/** Whether the enum, or that of the field of an order, has the value. */
function isValueOf(typeName: string, value: string): boolean {
  const field = /field: (\w+)/.exec(value)?.[1] ?? value;
  const named = schema.getType(field === value ? typeName : `${typeName}Field`);
  return named !== undefined && 'getValue' in named && named.getValue(field) != null;
}
