import { property } from '../../../graphql/schema/exposed.ts';
import { mutation } from '../../../graphql/schema/mutation.ts';
import { Application } from '../../application/graphql.ts';
import { ComponentGroup } from '../../component/group-graphql.ts';
import { jobResult } from '../../job/graphql.ts';
import { uninstallComponentGroup } from './model.ts';
import * as operations from './operations.ts';

mutation('uninstallComponentGroup', uninstallComponentGroup, operations.uninstallComponentGroup, {
  description:
    'Deletes a component group with its components, as `deleteComponent` does, and its upgrade records. Fails with CONFLICT while one of the components is deployed or other components depend on one of them, unless `force` is set. The access key of the store is deleted if nothing else of the team was installed from it.',
  operation: {
    advice: 'get_component has the group. Call it with `dryRun` first.',
    selection: { application: false, group: false },
  },
  payload: {
    group: property(ComponentGroup, 'The deleted component group.'),
    application: property(Application, 'The application that the group belonged to.'),
    job: jobResult,
  },
});
