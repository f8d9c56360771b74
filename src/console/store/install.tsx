import { dialogOf } from '../act/dialog.tsx';
import { LoadingDialog } from '../act/dialog-frame.tsx';
import type { ResultOf } from '../api/graphql.ts';
import { currentToken } from '../api/session.ts';
import { useFresh } from '../api/use-fresh.ts';
import { type ApplicationActionsQuery, CatalogueQuery } from '../documents/act-application.ts';
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
    title,
    mutation: 'installApplication',
    plan: 'step',
    fields: (values) => fieldsOf(templates, values),
    input: (values) => ({ application: { appId: application.uid }, ...inputOf(templates, values) }),
  });
}

/** The value of the template field for a template of another store. */
const elsewhere = 'elsewhere';

const versionsOf = ({ versions }: Template) =>
  newestFirst(versions.nodes.filter(({ isEnabled }) => isEnabled));

/** The template and its version that are chosen; the first ones if none was. */
function chosen(templates: readonly Template[], values: Values) {
  if (values.template === elsewhere) return undefined;
  const template = templates.find(({ key }) => key === values.template) ?? templates[0];
  if (!template) return undefined;
  const versions = versionsOf(template);
  const version = versions.find(({ version }) => version === values.version) ?? versions[0];
  return { template, versions, version };
}

const accessKeyField: Field = {
  name: 'ownAccessKey',
  path: 'store.accessKey',
  label: text.fields.accessKey,
  hint: text.ownAccessKey,
  kind: 'password',
  required: true,
};

const variableField = (index: number) => `variable ${index}`;

function fieldsOf(templates: readonly Template[], values: Values): Field[] {
  const choice = chosen(templates, values);
  const isDeployed: Field = {
    name: 'isDeployed',
    label: text.fields.isDeployed,
    kind: 'checkbox',
    value: true,
  };
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
  if (!choice) {
    const field = (name: string, label: string, path: string, more: Partial<Field> = {}): Field => ({
      name,
      label,
      path,
      required: true,
      ...more,
    });
    return [
      template,
      field('url', text.fields.storeUrl, 'store.url'),
      { ...field('domain', text.fields.storeDomain, 'store.domain'), required: false },
      field('accessKey', text.fields.accessKey, 'store.accessKey', { kind: 'password' }),
      field('templateId', text.fields.templateId, 'templateId'),
      field('otherVersion', text.fields.version, 'version'),
      isDeployed,
    ];
  }
  return [
    template,
    {
      name: 'version',
      label: text.fields.version,
      kind: 'select',
      value: choice.version?.version ?? '',
      options: choice.versions.map(({ version }) => ({ value: version, text: version })),
    },
    // The platform is a store itself, which an access token opens. In a session, there is none.
    ...(currentToken() === null ? [accessKeyField] : []),
    ...(choice.version?.requiredVariables ?? []).map(
      (variable, index): Field => ({
        name: variableField(index),
        path: `variables.${index}.value`,
        label: `${variable.componentName}: ${variable.name}`,
        kind: 'password',
        required: true,
      }),
    ),
    isDeployed,
  ];
}

function inputOf(templates: readonly Template[], values: Values) {
  const isDeployed = values.isDeployed === true;
  const choice = chosen(templates, values);
  if (!choice) {
    return {
      store: { url: String(values.url), domain: String(values.domain), accessKey: String(values.accessKey) },
      templateId: String(values.templateId),
      version: String(values.otherVersion),
      isDeployed,
    };
  }
  return {
    store: {
      url: location.origin,
      domain: '',
      accessKey: currentToken() ?? String(values[accessKeyField.name] ?? ''),
    },
    templateId: choice.template.key,
    version: choice.version?.version ?? '',
    variables: (choice.version?.requiredVariables ?? []).map(({ componentKey, name, scope }, index) => ({
      component: componentKey,
      name,
      scope,
      value: String(values[variableField(index)] ?? ''),
    })),
    isDeployed,
  };
}
