import type { Form } from '../act/action.ts';
import { dialogOf } from '../act/dialog.tsx';
import { LoadingDialog } from '../act/dialog-frame.tsx';
import type { ResultOf } from '../api/graphql.ts';
import { currentToken } from '../api/session.ts';
import { useFresh } from '../api/use-fresh.ts';
import { type ApplicationActionsQuery, CatalogueQuery } from '../documents/act-application.ts';
import type { InputOf } from '../documents/mutation.ts';
import type { Field, Values } from '../form/values.ts';
import { strings } from '../strings.ts';
import { newestFirst } from './newest.ts';

const text = strings.act;

type Application = Pick<
  NonNullable<ResultOf<typeof ApplicationActionsQuery>['application']>,
  'uid' | 'name' | 'team'
>;
type Catalogue = ResultOf<typeof CatalogueQuery>;
type Template = Catalogue['templates']['nodes'][number];

interface Props {
  application: Application;
  team: Application['team'];
  /** The key of the template that is chosen at first. */
  template?: string;
  close(): void;
}

/** Installs a template of this platform, or of another store, into an application. */
export function InstallDialog({ application, team, template, close }: Props) {
  const { data, error } = useFresh(CatalogueQuery, { team: { teamId: team.uid } });
  const title = text.titles.install(application.name);
  if (!data && !error) {
    return <LoadingDialog title={title} close={close} />;
  }
  const all = [...(data?.templates.nodes ?? []), ...(data?.team?.templates.nodes ?? [])];
  // Those of the team are in both lists. The one that was asked for is the first.
  const templates = [...new Map(all.map((each) => [each.key, each])).values()].sort(
    (one, other) => Number(other.key === template) - Number(one.key === template),
  );
  return dialogOf(close, {
    label: text.install,
    submit: text.installTemplate,
    title,
    mutation: 'installApplication',
    plan: 'step',
    form: (values) => formOf(templates, values),
    target: { application: { appId: application.uid } },
  });
}

/** The value of the template field for a template of another store. */
const elsewhere = 'elsewhere';

const versionsOf = ({ versions }: Template) =>
  newestFirst(versions.nodes.filter(({ isEnabled }) => isEnabled));

type Chosen = NonNullable<ReturnType<typeof chosen>>;

/** The template and its version that are chosen; the first ones if none was. */
function chosen(templates: readonly Template[], values: Values) {
  if (values.template === elsewhere) return undefined;
  const template = templates.find(({ key }) => key === values.template) ?? templates[0];
  if (!template) return undefined;
  const versions = versionsOf(template);
  const version = versions.find(({ version }) => version === values.version) ?? versions[0];
  return { template, versions, version };
}

/** What a template of another store needs. */
const storeForm = {
  first: [
    ...(['store.url', 'store.domain', 'store.accessKey', 'templateId'] as const),
    { name: 'otherVersion', label: text.fields.version, path: 'version', required: true },
  ],
  also: ({ otherVersion }: Values) => ({ version: String(otherVersion) }),
};

const ownAccessKey: Field = {
  name: 'ownAccessKey',
  path: 'store.accessKey',
  label: text.fields.accessKey,
  hint: text.ownAccessKey,
  kind: 'password',
  required: true,
};

const variableField = (index: number) => `variable ${index}`;

/** What a template of this platform needs. The platform is a store itself, which an access token opens. */
function ownForm({ template, versions, version }: Chosen) {
  const required = version?.requiredVariables ?? [];
  return {
    first: [
      {
        name: 'version',
        label: text.fields.version,
        kind: 'select' as const,
        value: version?.version ?? '',
        options: versions.map(({ version }) => ({ value: version, text: version })),
      },
      // In a session, there is no token.
      ...(currentToken() === null ? [ownAccessKey] : []),
      ...required.map(
        (variable, index): Field => ({
          name: variableField(index),
          path: `variables.${index}.value`,
          label: `${variable.componentName}: ${variable.name}`,
          kind: 'password',
          required: true,
        }),
      ),
    ],
    also: (values: Values) => ({
      store: {
        url: location.origin,
        domain: '',
        accessKey: currentToken() ?? String(values[ownAccessKey.name] ?? ''),
      },
      templateId: template.key,
      version: version?.version ?? '',
      variables: required.map(({ componentKey, name, scope }, index) => ({
        component: componentKey,
        name,
        scope,
        value: String(values[variableField(index)] ?? ''),
      })),
    }),
  };
}

function formOf(templates: readonly Template[], values: Values): Form<InputOf<'installApplication'>> {
  const choice = chosen(templates, values);
  const template: Field = {
    name: 'template',
    path: 'templateId',
    label: text.fields.template,
    kind: 'select',
    value: choice?.template.key ?? elsewhere,
    hint: choice?.template.description || undefined,
    options: [
      ...templates.map(({ key, name }) => ({ value: key, text: name })),
      { value: elsewhere, text: text.otherStore },
    ],
  };
  const { first, also } = choice ? ownForm(choice) : storeForm;
  return {
    first: [template, ...first, 'deploy'],
    hints: {},
    fields: {
      templateId: { label: text.fields.templateId },
      'store.url': { label: text.fields.storeUrl, group: undefined },
      'store.domain': {
        label: text.fields.storeDomain,
        group: undefined,
        required: false,
        sendsEmpty: true,
      },
      'store.accessKey': { label: text.fields.accessKey, group: undefined, kind: 'password' },
      deploy: { label: text.fields.deploy, value: true },
    },
    also,
  };
}
