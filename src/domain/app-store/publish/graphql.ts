import { builder } from '../../../graphql/schema/builder.ts';
import { connectionField } from '../../../graphql/schema/connection.ts';
import { property } from '../../../graphql/schema/exposed.ts';
import { enumOf, referenceOf } from '../../../graphql/schema/input.ts';
import { addList } from '../../../graphql/schema/list.ts';
import { mutation } from '../../../graphql/schema/mutation.ts';
import { entity } from '../../../graphql/schema/node.ts';
import { nullOnError } from '../../../graphql/schema/null-on-error.ts';
import { objectType } from '../../../graphql/schema/object-type.ts';
import { orderInput } from '../../../graphql/schema/order.ts';
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

const RequiredVariableType = objectType<RequiredVariable>('RequiredVariable', {
  description: 'A variable that must be set when the template is installed.',
  exposes: {
    'componentKey: String!': 'The key of the component in the template.',
    'componentName: String!': 'The name of the component.',
    'name: String!': 'The name of the variable.',
    scope: property(VariableScope, 'The scope of the variable.'),
  },
});

const requiredVariablesOf = derived(
  (version: { requiredVariables: string }) => JSON.parse(version.requiredVariables) as RequiredVariable[],
  ({ requiredVariables }) => requiredVariables.length,
);

const TemplateVersion = entity('TemplateVersion', 'PublishedVersion', {
  description: 'A version of a published template.',
  read: visibleVersion,
  exposes: {
    'version: String!': 'The version.',
    'alias: String!': 'The display name of the version.',
    'description: String!': 'A description of the version.',
    'isEnabled: Boolean!': 'Whether the version is offered for installs and upgrades.',
    'createdAt: DateTime!': 'The time of the first publication.',
    'updatedAt: DateTime!': 'The time of the last publication.',
  },
  fields: (t) => ({
    requiredVariables: t.using('requiredVariables').field({
      type: [RequiredVariableType],
      description:
        'The variables that must be set when the template is installed, because the template leaves out their values: secrets of a published application.',
      resolve: (version, _, context) => requiredVariablesOf(version, context),
    }),
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
  uid: 'The numeric id of the published template. Use it as `templateId` in references.',
  exposes: {
    'key: String!': 'The key of the template, which is used to install it. REST: `app_model_id`.',
    'name: String!': 'The display name. REST: `app_model_name`.',
    'description: String!': 'A description of the template.',
    'logo: String!': 'The URL of the logo. Empty if not set.',
    'createdAt: DateTime!': 'The time of the first publication.',
    'updatedAt: DateTime!': 'The time of the last change.',
  },
  fields: (t) => ({
    team: relatedOrNull(
      t,
      'teamId',
      Team,
      'The team whose catalogue the template is in, which only its members see. Null if it is in the catalogue of the enterprise.',
      loadTeam,
    ),
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
    description: 'The published templates that are visible to the caller, sorted by name.',
    args: builder.args((arg) => ({
      search: arg.string({
        description: 'A case-insensitive substring of the name or key.',
        validate: validatedBy(search()),
      }),
    })),
    list: (_, args, context) => publishedTemplates(context, args.search),
  }),
}));

addList(Team, 'templates', Template, {
  description: 'The templates in the catalogue of the team, which only its members see. Sorted by name.',
  args: builder.args((arg) => ({
    search: arg.string({
      description: 'A case-insensitive substring of the name or key.',
      validate: validatedBy(search()),
    }),
  })),
  list: (team, args, context) => templatesOfTeam(context, team.id, args.search),
});

mutation('publishTemplate', publishTemplate, publishing.publishTemplate, {
  description:
    'Publishes a version of a template at `/app-server/openapi`, from where it can be installed. Publishing the same version again replaces it.',
  payload: {
    template: property(Template, 'The published template.'),
    version: property(TemplateVersion, 'The published version.'),
  },
});

const OmittedKind = enumOf(
  'OmittedKind',
  omittedKind,
  'The kind of a part that a template leaves out.',
  omittedKinds,
);
enumOf('TemplateCatalogue', templateCatalogue, 'A catalogue of published templates.', {
  team: 'The catalogue of the team of the application, which only its members see.',
  enterprise: 'The catalogue of the enterprise, which all its users see.',
});

const OmittedItemType = objectType<OmittedItem>('OmittedItem', {
  description:
    'A part of an application that its template leaves out, because it belongs to the team or region, or because templates cannot express it.',
  exposes: {
    'component: String!': 'The name of the component.',
    'name: String!':
      'The name of the variable, schedule or volume, the address, or the `uid` of the dependency: `another component` if it is not visible to the caller. The name of the component for its placement and autoscaling.',
    kind: property(OmittedKind, 'The kind of the part.'),
  },
});

mutation('publishApplication', publishApplication, application.publishApplication, {
  description:
    'Publishes an application in its current state as a version of a template that installs the same components, ports, variables, volumes, dependencies and gateway rules. Values of secrets are left out, and must be set when the template is installed.',
  orElse: "an enterprise administrator for the enterprise's catalogue",
  operation: { selection: { omitted: 'kind component name' } },
  payload: {
    template: property(Template, 'The published template.'),
    version: property(TemplateVersion, 'The published version.'),
    omitted: property([OmittedItemType], 'The parts of the application that the template leaves out.'),
  },
});

mutation('disableTemplateVersion', disableTemplateVersion, versions.disableTemplateVersion, {
  description: `Stops offering a version of a template for installs and upgrades. Installed applications are unchanged. Idempotent.`,
  requires: 'administrator',
  orElse: 'the `developer` role in the team of the template',
  payload: {
    template: property(Template, 'The template.'),
    version: property(TemplateVersion, 'The disabled version.'),
  },
});

mutation('enableTemplateVersion', enableTemplateVersion, versions.enableTemplateVersion, {
  description: `Offers a disabled version of a template again. Idempotent.`,
  requires: 'administrator',
  orElse: 'the `developer` role in the team of the template',
  payload: {
    template: property(Template, 'The template.'),
    version: property(TemplateVersion, 'The enabled version.'),
  },
});

mutation('deleteTemplateVersion', deleteTemplateVersion, versions.deleteTemplateVersion, {
  description: `Deletes a version of a template, and the template with its last version. Installed applications are unchanged.`,
  requires: 'administrator',
  orElse: 'the `developer` role in the team of the template',
  payload: {
    template: property(Template, 'The template. Deleted if this was its last version.'),
    version: property(TemplateVersion, 'The deleted version.'),
  },
});
