import type { OmittedPart } from '../../drivers/region/namespace.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { Application } from '../application/graphql.ts';
import { importNamespace as input } from './model.ts';
import { importNamespace } from './operations.ts';

const OmittedPartType = builder.objectRef<OmittedPart>('OmittedPart').implement({
  description:
    'Something of a namespace that was left out of an import, or that is different for a component.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: 'The kind of the object, for example `Deployment`.' }),
    name: t.exposeString('name', { description: 'The name of the object.' }),
    what: t.exposeString('what', { description: 'What was left out, and why.' }),
  }),
});

mutation('importNamespace', {
  description:
    'Creates an application of what runs in a namespace of a cluster: its Deployments and StatefulSets, with their variables, volumes, Services and HTTP routes. The namespace is only read. The components are not deployed; their deploy creates them anew in the namespace of the team, under the same names. With `dryRun`, only the plan is returned, and what cannot be expressed. Fails with CONFLICT if the region has no cluster, and with REGION_UNAVAILABLE if the cluster does not respond.',
  operation: { selection: { omitted: 'kind name what' } },
  input,
  run: importNamespace,
  payload: (t) => ({
    application: t.expose('application', {
      type: Application,
      nullable: true,
      description: 'The application. Null for a dry run.',
    }),
    omitted: t.field({
      type: [OmittedPartType],
      description: 'What was left out, or would be.',
      resolve: ({ omitted }) => omitted,
    }),
  }),
});
