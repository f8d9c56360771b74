import type { OmittedPart } from '../../convert/kubernetes/model.ts';
import { property, propertyOrNull } from '../../graphql/schema/exposed.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { objectType } from '../../graphql/schema/object-type.ts';
import { Application } from '../application/graphql.ts';
import { importNamespace as input } from './model.ts';
import { importNamespace } from './operations.ts';

const OmittedPartType = objectType<OmittedPart>('OmittedPart', {
  description:
    'Something of a namespace that was left out of an import, or that is different for a component.',
  exposes: {
    'kind: String!': 'The kind of the object, for example `Deployment`.',
    'name: String!': 'The name of the object.',
    'what: String!': 'What was left out, and why.',
  },
});

mutation('importNamespace', input, importNamespace, {
  description:
    'Creates an application of what runs in a namespace of a cluster: its Deployments, StatefulSets and CronJobs, with their variables, volumes, Services and HTTP routes. The namespace is only read. The components are not deployed; their deploy creates them anew in the namespace of the team, under the same names. With `dryRun`, only the plan is returned, and what cannot be expressed. Fails with CONFLICT if the region has no cluster, and with REGION_UNAVAILABLE if the cluster does not respond.',
  operation: { selection: { omitted: 'kind name what' } },
  payload: {
    application: propertyOrNull(Application, 'The application. Null for a dry run.'),
    omitted: property([OmittedPartType], 'What was left out, or would be.'),
  },
});
