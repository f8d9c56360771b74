import { builder, restName } from '../../../graphql/schema/builder.ts';
import { connectionField } from '../../../graphql/schema/connection.ts';
import { enumOf, referenceOf } from '../../../graphql/schema/input.ts';
import { mutation } from '../../../graphql/schema/mutation.ts';
import { entity } from '../../../graphql/schema/node.ts';
import { nullOnError } from '../../../graphql/schema/null-on-error.ts';
import { orderInput } from '../../../graphql/schema/order.ts';
import { planField } from '../../../graphql/schema/plan.ts';
import { relatedOrNull } from '../../../graphql/schema/related.ts';
import { validatedBy } from '../../../graphql/schema/validation.ts';
import { derived } from '../../../kernel/derived.ts';
import { search } from '../../../kernel/validate.ts';
import { VariableScope } from '../../component/variables/graphql.ts';
import { Team } from '../../team/graphql.ts';
import { loadTeam } from '../../team/reads.ts';
import {
  deleteTemplateVersion,
  disableTemplateVersion,
  enableTemplateVersion,
  type OmittedItem,
  omittedKind,
  omittedKinds,
  publishApplication,
  publishTemplate,
  type RequiredVariable,
  templateCatalogue,
  templateRef,
} from '../model.ts';
import * as application from './application-operations.ts';
import * as publishing from './operations.ts';
import {
  newestVersionOf,
  publishedTemplates,
  requireTemplate,
  templatesOfTeam,
  versionsOf,
  visibleTemplate,
  visibleVersion,
} from './reads.ts';
import * as versions from './version-operations.ts';

const TemplateRef = referenceOf(
  'TemplateRef',
  templateRef,
  'Identifies a published template. Set exactly one field.',
);

const RequiredVariableType = builder.objectRef<RequiredVariable>('RequiredVariable').implement({
  description: 'A variable for which an install has to give a value.',
  fields: (t) => ({
    componentKey: t.exposeString('componentKey', {
      description: 'The key of the component in the template.',
    }),
    componentName: t.exposeString('componentName', { description: 'The name of the component.' }),
    name: t.exposeString('name', { description: 'The name of the variable.' }),
    scope: t.expose('scope', { type: VariableScope, description: 'The scope of the variable.' }),
  }),
});

const requiredVariablesOf = derived(
  (version: { requiredVariables: string }) => JSON.parse(version.requiredVariables) as RequiredVariable[],
  ({ requiredVariables }) => requiredVariables.length,
);

const TemplateVersion = entity('TemplateVersion', 'PublishedVersion', {
  description: 'A version of a published template.',
  read: visibleVersion,
  id: (row) => row.id,
  fields: (t) => ({
    version: t.exposeString('version', { description: 'The version.' }),
    alias: t.exposeString('alias', { description: 'The display name of the version.' }),
    description: t.exposeString('description', { description: 'A description of the version.' }),
    requiredVariables: t.using('requiredVariables').field({
      type: [RequiredVariableType],
      description:
        'The variables for which an install has to give a value, because the template leaves it out: secrets of a published application.',
      resolve: (version, _, context) => requiredVariablesOf(version, context),
    }),
    isEnabled: t.exposeBoolean('isEnabled', {
      description: 'Whether the version is offered for installs and upgrades.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'The time of the first publication.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'The time of the last publication.' }),
  }),
});

const TemplateVersionOrder = orderInput('TemplateVersion', {
  CREATED_AT: 'Time of the first publication.',
});

const versionListArgs = builder.args((arg) => ({
  isEnabled: arg.boolean({
    description: 'Returns only versions that are offered; or, if false, only those that are not.',
  }),
  orderBy: arg.field({
    type: TemplateVersionOrder,
    description: 'The sort order. Defaults to the time of the first publication, oldest first.',
  }),
}));

const Template = entity('Template', 'PublishedTemplate', {
  description: 'A template that this platform publishes as an app store, at `/app-server/openapi`.',
  read: visibleTemplate,
  id: (row) => row.id,
  fields: (t) => ({
    uid: t.exposeInt('id', {
      description: 'The numeric id of the published template. Use it as `templateId` in references.',
    }),
    key: t.exposeString('key', {
      description: restName('The key of the template, which is used to install it.', 'app_model_id'),
    }),
    name: t.exposeString('name', { description: restName('The display name.', 'app_model_name') }),
    description: t.exposeString('description', { description: 'A description of the template.' }),
    team: relatedOrNull(t, 'teamId', Team, {
      read: loadTeam,
      description:
        "The team whose catalogue the template is in, which only its members see. Null if it is in the enterprise's.",
    }),
    logo: t.exposeString('logo', { description: 'The URL of the logo. Empty if there is none.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'The time of the first publication.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'The time of the last change.' }),
    newestVersion: t.using('id').field({
      type: TemplateVersion,
      nullable: true,
      description:
        'The enabled version with the highest number, compared as upgrades do: dotted numbers by number, a pre-release below its release. Null if no version is enabled.',
      resolve: (template, _, context) => newestVersionOf(context, template.id),
    }),
    versions: connectionField(t.using('id'), {
      node: TemplateVersion,
      plural: 'versions of a template',
      description: 'The versions, in order of their first publication.',
      args: versionListArgs,
      list: (template, args) => versionsOf(template.id, args),
    }),
  }),
});

builder.queryFields((t) => ({
  template: t.field({
    type: Template,
    ...nullOnError,
    description: 'Looks up a published template. Fails with NOT_FOUND if it does not exist.',
    args: {
      by: t.arg({
        type: TemplateRef,
        required: true,
        description: 'The template to look up.',
        validate: validatedBy(templateRef),
      }),
    },
    resolve: (_, { by }, context) => requireTemplate(context, by),
  }),
  templates: connectionField(t, {
    node: Template,
    plural: 'templates',
    description: 'The published templates that the caller may see, sorted by name.',
    args: builder.args((arg) => ({
      search: arg.string({
        description: 'A case-insensitive substring of the name or key.',
        validate: validatedBy(search()),
      }),
    })),
    list: (_, args, context) => publishedTemplates(context, args.search),
  }),
}));

builder.objectField(Team, 'templates', (t) =>
  connectionField(t.using('id'), {
    node: Template,
    plural: 'templates',
    description: 'The templates in the catalogue of the team, which only its members see. Sorted by name.',
    args: builder.args((arg) => ({
      search: arg.string({
        description: 'A case-insensitive substring of the name or key.',
        validate: validatedBy(search()),
      }),
    })),
    list: (team, args, context) => templatesOfTeam(context, team.id, args.search),
  }),
);

mutation('publishTemplate', {
  description:
    'Publishes a version of a template at `/app-server/openapi`, where it can be installed from. Publishing the same version again replaces it.',
  input: publishTemplate,
  run: publishing.publishTemplate,
  payload: (t) => ({
    template: t.expose('template', { type: Template, description: 'The published template.' }),
    version: t.expose('version', { type: TemplateVersion, description: 'The published version.' }),
  }),
});

const OmittedKind = enumOf(
  'OmittedKind',
  omittedKind,
  'What a template of an application leaves out.',
  omittedKinds,
);
enumOf('TemplateCatalogue', templateCatalogue, 'A catalogue of published templates.', {
  team: 'The catalogue of the team of the application, which only its members see.',
  enterprise: 'The catalogue of the enterprise, which all its users see.',
});

const OmittedItemType = builder.objectRef<OmittedItem>('OmittedItem').implement({
  description:
    'Something of an application that its template leaves out, because it belongs to the team or region, or because templates cannot hold it.',
  fields: (t) => ({
    kind: t.expose('kind', { type: OmittedKind, description: 'What was left out.' }),
    component: t.exposeString('component', { description: 'The name of the component.' }),
    name: t.exposeString('name', {
      description:
        'The name of the variable, schedule or volume, the `uid` of the dependency, or the address. The name of the component for its placement and autoscaling.',
    }),
  }),
});

mutation('publishApplication', {
  description:
    'Publishes an application as it stands as a version of a template, which installs the same components, ports, variables, volumes, dependencies and gateway rules. Values of secrets are left out, and an install has to give them.',
  orElse: "an enterprise administrator for the enterprise's catalogue",
  operation: { selection: { omitted: 'kind component name' } },
  input: publishApplication,
  run: application.publishApplication,
  payload: (t) => ({
    template: t.expose('template', { type: Template, description: 'The published template.' }),
    version: t.expose('version', { type: TemplateVersion, description: 'The published version.' }),
    omitted: t.expose('omitted', {
      type: [OmittedItemType],
      description: 'What the template leaves out.',
    }),
  }),
});

mutation('disableTemplateVersion', {
  description: `Stops offering a version of a template for installs and upgrades. Installed applications are unchanged. Idempotent.`,
  requires: 'administrator',
  orElse: 'the `developer` role in the team of the template',
  input: disableTemplateVersion,
  run: versions.disableTemplateVersion,
  payload: (t) => ({
    template: t.expose('template', { type: Template, description: 'The template.' }),
    version: t.expose('version', { type: TemplateVersion, description: 'The disabled version.' }),
  }),
});

mutation('enableTemplateVersion', {
  description: `Offers a disabled version of a template again. Idempotent.`,
  requires: 'administrator',
  orElse: 'the `developer` role in the team of the template',
  input: enableTemplateVersion,
  run: versions.enableTemplateVersion,
  payload: (t) => ({
    template: t.expose('template', { type: Template, description: 'The template.' }),
    version: t.expose('version', { type: TemplateVersion, description: 'The enabled version.' }),
  }),
});

mutation('deleteTemplateVersion', {
  description: `Deletes a version of a template, and the template with its last version. Installed applications are unchanged.`,
  requires: 'administrator',
  orElse: 'the `developer` role in the team of the template',
  input: deleteTemplateVersion,
  run: versions.deleteTemplateVersion,
  payload: (t) => ({
    template: t.expose('template', {
      type: Template,
      description: 'The template. Deleted if this was its last version.',
    }),
    version: t.expose('version', { type: TemplateVersion, description: 'The deleted version.' }),
    plan: planField(t),
  }),
});
