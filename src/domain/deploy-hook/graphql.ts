import type { Context } from '../../context.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { property } from '../../graphql/schema/exposed.ts';
import { referenceOf } from '../../graphql/schema/input.ts';
import { addList } from '../../graphql/schema/list.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { related, relatedOrNull } from '../../graphql/schema/related.ts';
import { Component } from '../component/graphql.ts';
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
  revision: 'New secrets are counted; uses are not.',
  uid: 'The id of the deploy hook. This is not the secret. Use it as `deployHookId` in references.',
  exposes: {
    'name: String!': 'The purpose of the deploy hook.',
    'tagPattern: String':
      "The tags that a registry can deploy by calling the deploy hook. `*` matches any text. Null for the tag of the component's image.",
    'createdAt: DateTime!': 'The creation time.',
    'lastUsedAt: DateTime':
      'The time of the last use, to the minute. Null if the deploy hook was never used.',
  },
  fields: (t) => ({
    creator: callerField(
      t,
      'The user or service account that created the deploy hook. Null if the account no longer exists or is not visible to the caller.',
    ),
    component: related(t, 'componentId', Component, 'The component that the deploy hook deploys.'),
  }),
});

addList(Component, 'deployHooks', DeployHook, {
  description: 'The deploy hooks of the component, oldest first. They work while `opensWebhooks` is true.',
  list: (component) => deployHooksOf(component.id),
});

builder.objectField(Event, 'deployHook', (t) =>
  relatedOrNull(
    t,
    'deployHookId',
    DeployHook,
    'The deploy hook that made the change. Null for other changes, and if it was deleted or is not visible to the caller.',
  ),
);

interface Issued {
  deployHook: DeployHookRow;
  secret: string;
}

const withUrl = async ({ origin = '' }: Pick<Context, 'origin'>, { deployHook, secret }: Issued) => ({
  deployHook,
  url: `${origin}${pathOfHook(deployHook.id, secret)}`,
});

const urlText =
  'The URL with the secret. Send a `POST` request to it. It cannot be read again. Only the path if the gateway does not know its own address: set `PUBLIC_URL`, or prepend the address.';

mutation('createDeployHook', createDeployHook, operations.createDeployHook, {
  description:
    'Creates a deploy hook. Anyone who has its URL can deploy the component with another image of the same repository, so the caller must be allowed to change and deploy the component. Fails with CONFLICT unless `opensWebhooks` of the component is true. A component can have at most 10 deploy hooks.',
  operation: { noTool: 'The result has a secret, which a model must not see.' },
  load: withUrl,
  payload: {
    deployHook: property(DeployHook, 'The new deploy hook.'),
    'url: String!': urlText,
  },
});

mutation('updateDeployHook', updateDeployHook, operations.updateDeployHook, {
  description:
    'Changes the name of a deploy hook, or the tags that registries can deploy with it. Its URL stays the same. The caller must be allowed to change and deploy the component.',
  returns: { deployHook: property(DeployHook, 'The changed deploy hook.') },
});

mutation('rotateDeployHook', rotateDeployHook, operations.rotateDeployHook, {
  description:
    'Replaces the URL of a deploy hook. The previous URL stops working immediately. The caller must be allowed to change and deploy the component.',
  operation: { noTool: 'The result has a secret, which a model must not see.' },
  load: withUrl,
  payload: {
    deployHook: property(DeployHook, 'The deploy hook.'),
    'url: String!': urlText,
  },
});

mutation('deleteDeployHook', deleteDeployHook, operations.deleteDeployHook, {
  description: 'Deletes a deploy hook. Its URL stops working immediately.',
  payload: { deployHook: property(DeployHook, 'The deleted deploy hook.') },
});
