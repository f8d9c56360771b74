import type { OmittedPart } from '../../convert/kubernetes/model.ts';
import { property, propertyOrNull } from '../../graphql/schema/exposed.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { objectType } from '../../graphql/schema/object-type.ts';
import { Application } from '../application/graphql.ts';
import { importNamespace as input } from './model.ts';
import { importNamespace } from './operations.ts';

const OmittedPartType = objectType<OmittedPart>('OmittedPart', {
  description: 'A part of a namespace that was left out of an import, or is different in a component.',
  exposes: {
    'kind: String!': 'The kind of the object, for example `Deployment`.',
    'name: String!': 'The name of the object.',
    'what: String!': 'The part that was left out, and the reason.',
  },
});

mutation('importNamespace', input, importNamespace, {
  description:
    'Creates an application from a namespace of a cluster: from its Deployments, StatefulSets and CronJobs, with their variables, volumes, Services and HTTP routes. The namespace is only read, not changed. The components are not deployed. Deploying them creates new objects in the namespace of the team, under the same names. With `dryRun`, returns only the plan and what cannot be imported. Fails with CONFLICT if the region has no cluster, and with REGION_UNAVAILABLE if the cluster does not respond.',
  operation: { selection: { omitted: 'kind name what' } },
  payload: {
    application: propertyOrNull(Application, 'The application. Null for a dry run.'),
    omitted: property(
      [OmittedPartType],
      'The parts of the namespace that were left out or, with `dryRun`, would be left out.',
    ),
  },
});
