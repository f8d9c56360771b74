import { builder, restName } from '../../../graphql/schema/builder.ts';
import { connectionField } from '../../../graphql/schema/connection.ts';
import { referenceOf } from '../../../graphql/schema/input.ts';
import { mutation } from '../../../graphql/schema/mutation.ts';
import { entity } from '../../../graphql/schema/node.ts';
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

const TemplateRef = referenceOf('TemplateRef', templateRef, 'Names a published template: exactly one field.');

export const TemplateVersion = entity('TemplateVersion', 'PublishedVersion', {
  description: 'A version of a published template.',
  read: visibleVersion,
  id: (row) => row.id,
  fields: (t) => ({
    version: t.exposeString('version', { description: 'The version.' }),
    alias: t.exposeString('alias', { description: 'Name of the version.' }),
    description: t.exposeString('description', { description: 'What it brings.' }),
    isEnabled: t.exposeBoolean('isEnabled', { description: 'Whether it is offered for upgrades.' }),
    revision: t.exposeInt('revision', { description: 'How often it was published.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was first published.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last published.' }),
  }),
});

export const Template = entity('Template', 'PublishedTemplate', {
  description: 'A template that this platform offers as an app store, under `/app-server/openapi`.',
  read: visibleTemplate,
  id: (row) => row.id,
  fields: (t) => ({
    uid: t.exposeInt('id', { description: 'Number of the published template.' }),
    key: t.exposeString('key', { description: restName('What installs ask for.', 'app_model_id') }),
    name: t.exposeString('name', { description: restName('Name shown to people.', 'app_model_name') }),
    description: t.exposeString('description', { description: 'What it is.' }),
    logo: t.exposeString('logo', { description: 'Address of a logo; empty for none.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was first published.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
    versions: connectionField(t, {
      node: TemplateVersion,
      plural: 'versions of a template',
      description: 'Its versions, in the order in which they were first published.',
      columns: ['id'],
      list: (template) => versionsOf(template.id),
    }),
  }),
});

builder.queryFields((t) => ({
  template: t.field({
    type: Template,
    nullable: true,
    description: 'A template that this platform offers.',
    args: {
      by: t.arg({
        type: TemplateRef,
        required: true,
        description: 'Which template.',
        validate: { schema: templateRef } as never,
      }),
    },
    resolve: (_, { by }, context) => requireTemplate(context, by),
  }),
  templates: connectionField(t, {
    node: Template,
    plural: 'templates',
    description: 'The templates that this platform offers, by name.',
    args: builder.args((arg) => ({
      search: arg.string({
        description: 'Part of the name or key, in any case.',
        validate: { schema: search() } as never,
      }),
    })),
    list: (_, args, context) => publishedTemplates(context, args.search),
  }),
}));

mutation('publishTemplate', {
  description:
    'Offers a version of a template to others, who reach it under `/app-server/openapi`. The same version again replaces it. For administrators.',
  input: publishTemplate,
  run: publishing.publishTemplate,
  payload: (t) => ({
    template: t.expose('template', { type: Template, description: 'The published template.' }),
    version: t.expose('version', { type: TemplateVersion, description: 'The published version.' }),
  }),
});
