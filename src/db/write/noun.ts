import type { Model } from '../tables.ts';

/** What errors call an object, where that is not the name of its model. */
const nouns: { readonly [M in Model]?: string } = {
  ComponentRun: 'run',
  HttpRule: 'HTTP rule',
  Membership: 'team member',
  PublishedTemplate: 'template',
  PublishedVersion: 'version of the template',
  TcpRule: 'TCP rule',
  WebhookDelivery: 'delivery',
};

/** What errors call an object: `access token` for the model AccessToken. */
export const nounOf = (model: string): string =>
  nouns[model as Model] ?? model.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
