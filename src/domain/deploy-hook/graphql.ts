import type { Context } from '../../context.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { connectionField } from '../../graphql/schema/connection.ts';
import { referenceOf } from '../../graphql/schema/input.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { related, relatedOrNull } from '../../graphql/schema/related.ts';
import { Component } from '../component/graphql.ts';
import { loadComponent } from '../component/reads.ts';
import { Event } from '../event/graphql.ts';
import { callerField } from '../service-account/graphql.ts';
import {
  createDeployHook,
  deleteDeployHook,
  deployHookRef,
  rotateDeployHook,
  updateDeployHook,
} from './model.ts';
import * as operations from './operations.ts';
import { pathOfHook } from './path-model.ts';
import { type DeployHookRow, deployHooksOf, visibleDeployHook } from './reads.ts';

referenceOf('DeployHookRef', deployHookRef, 'Identifies a deploy hook. Set exactly one field.');

export const DeployHook = entity<'DeployHook', DeployHookRow>('DeployHook', 'DeployHook', {
  description:
    'A URL with a secret that deploys a component, for pipelines without an access token. The URL is shown only once.',
  read: visibleDeployHook,
  id: (row) => row.id,
  revision: 'It counts its changes and the secrets that it was given, and not its uses.',
  fields: (t) => ({
    uid: t.exposeID('id', {
      description:
        'The id of the deploy hook. This is not the secret. Use it as `deployHookId` in references.',
    }),
    name: t.exposeString('name', { description: 'What the deploy hook is for.' }),
    tagPattern: t.exposeString('tagPattern', {
      nullable: true,
      description:
        'The tags that a registry can deploy by calling the deploy hook, with `*` for any text. Null for the tag of the image of the component alone.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'The creation time.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The time of the last use, to the minute. Null if the deploy hook was never used.',
    }),
    creator: callerField(
      t,
      'The user or service account that created it. Null if the account no longer exists or is not visible to the caller.',
    ),
    component: related(t, 'componentId', Component, {
      read: loadComponent,
      description: 'The component that it deploys.',
    }),
  }),
});

builder.objectField(Component, 'deployHooks', (t) =>
  connectionField(t.using('id'), {
    node: DeployHook,
    plural: 'deploy hooks',
    description: 'The deploy hooks of the component, oldest first. They work while `opensWebhooks` is true.',
    list: (component) => deployHooksOf(component.id),
  }),
);

builder.objectField(Event, 'deployHook', (t) =>
  relatedOrNull(t, 'deployHookId', DeployHook, {
    read: visibleDeployHook,
    description:
      'The deploy hook that made the change. Null for other changes, and if it was deleted or is not visible to the caller.',
  }),
);

interface Issued {
  deployHook: DeployHookRow;
  secret: string;
}

const urlOf = ({ deployHook, secret }: Issued, { origin = '' }: Pick<Context, 'origin'>) =>
  `${origin}${pathOfHook(deployHook.id, secret)}`;

const urlDescription =
  'The URL with the secret, for `POST`. It cannot be read again. Only the path if the gateway does not know its address: set `PUBLIC_URL`, or put the address before it.';

mutation('createDeployHook', {
  description:
    'Creates a deploy hook. Whoever has its URL can set the image of the component to another one of the same repository, and deploy it, so the caller must be allowed to change and deploy the component. Fails with CONFLICT unless `opensWebhooks` of the component is true. A component can have at most 10 deploy hooks.',
  operation: { noTool: 'The result has a secret, which a model must not see.' },
  input: createDeployHook,
  run: operations.createDeployHook,
  payload: (t) => ({
    deployHook: t.expose('deployHook', { type: DeployHook, description: 'The new deploy hook.' }),
    url: t.string({ description: urlDescription, resolve: (issued, _, context) => urlOf(issued, context) }),
  }),
});

mutation('updateDeployHook', {
  description:
    'Changes the name of a deploy hook, or the tags that registries can deploy with it. Its URL stays the same. The caller must be allowed to change and deploy the component.',
  input: updateDeployHook,
  run: async (context, input) => ({ deployHook: await operations.updateDeployHook(context, input) }),
  payload: (t) => ({
    deployHook: t.expose('deployHook', { type: DeployHook, description: 'The changed deploy hook.' }),
  }),
});

mutation('rotateDeployHook', {
  description:
    'Gives a deploy hook a new URL. The one before is rejected from then on. The caller must be allowed to change and deploy the component.',
  operation: { noTool: 'The result has a secret, which a model must not see.' },
  input: rotateDeployHook,
  run: operations.rotateDeployHook,
  payload: (t) => ({
    deployHook: t.expose('deployHook', { type: DeployHook, description: 'The deploy hook.' }),
    url: t.string({ description: urlDescription, resolve: (issued, _, context) => urlOf(issued, context) }),
  }),
});

mutation('deleteDeployHook', {
  description: 'Deletes a deploy hook. Its URL is rejected from then on.',
  input: deleteDeployHook,
  run: operations.deleteDeployHook,
  payload: (t) => ({
    deployHook: t.expose('deployHook', { type: DeployHook, description: 'The deleted deploy hook.' }),
  }),
});
