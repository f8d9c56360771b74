import { builder, restName } from '../../../graphql/schema/builder.ts';
import { connectionField } from '../../../graphql/schema/connection.ts';
import { referenceOf } from '../../../graphql/schema/input.ts';
import { mutation } from '../../../graphql/schema/mutation.ts';
import { entity } from '../../../graphql/schema/node.ts';
import { validatedBy } from '../../../graphql/schema/validation.ts';
import { search } from '../../../kernel/validate.ts';
import { publishTemplate, templateRef } from '../model.ts';
import {
  publishedTemplates,
  requireTemplate,
  versionsOf,
  visibleTemplate,
  visibleVersion,
} from '../reads.ts';
import * as publishing from './publish.ts';

const TemplateRef = referenceOf(
  'TemplateRef',
  templateRef,
  'Identifies a published template. Set exactly one field.',
);

export const TemplateVersion = entity('TemplateVersion', 'PublishedVersion', {
  description: 'A version of a published template.',
  read: visibleVersion,
  id: (row) => row.id,
  fields: (t) => ({
    version: t.exposeString('version', { description: 'The version.' }),
    alias: t.exposeString('alias', { description: 'The display name of the version.' }),
    description: t.exposeString('description', { description: 'A description of the version.' }),
    isEnabled: t.exposeBoolean('isEnabled', { description: 'Whether the version is offered for upgrades.' }),
    revision: t.exposeInt('revision', { description: 'The number of times that the version was published.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'The time of the first publication.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'The time of the last publication.' }),
  }),
});

export const Template = entity('Template', 'PublishedTemplate', {
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
    logo: t.exposeString('logo', { description: 'The URL of the logo. Empty if there is none.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'The time of the first publication.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'The time of the last change.' }),
    versions: connectionField(t, {
      node: TemplateVersion,
      plural: 'versions of a template',
      description: 'The versions, in order of their first publication.',
      columns: ['id'],
      list: (template) => versionsOf(template.id),
    }),
  }),
});

builder.queryFields((t) => ({
  template: t.field({
    type: Template,
    nullable: true,
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
    description: 'The published templates, sorted by name.',
    args: builder.args((arg) => ({
      search: arg.string({
        description: 'A case-insensitive substring of the name or key.',
        validate: validatedBy(search()),
      }),
    })),
    list: (_, args, context) => publishedTemplates(context, args.search),
  }),
}));

mutation('publishTemplate', {
  description:
    'Publishes a version of a template at `/app-server/openapi`, where it can be installed from. Publishing the same version again replaces it. Requires an enterprise administrator.',
  input: publishTemplate,
  run: publishing.publishTemplate,
  payload: (t) => ({
    template: t.expose('template', { type: Template, description: 'The published template.' }),
    version: t.expose('version', { type: TemplateVersion, description: 'The published version.' }),
  }),
});
