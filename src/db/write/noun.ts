import type { Model } from '../tables.ts';

/** The nouns for objects in errors, where they are not the names of their models. */
const nouns: { readonly [M in Model]?: string } = {
  ComponentRun: 'run',
  HttpRule: 'HTTP rule',
  Membership: 'team member',
  PublishedTemplate: 'template',
  PublishedVersion: 'version of the template',
  TcpRule: 'TCP rule',
  WebhookDelivery: 'delivery',
};

/** The noun for an object in errors: `access token` for the model AccessToken. */
export const nounOf = (model: string): string =>
  nouns[model as Model] ?? model.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
