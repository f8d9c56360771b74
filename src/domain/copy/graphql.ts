import { builder } from '../../graphql/schema/builder.ts';
import { property, propertyOrNull } from '../../graphql/schema/exposed.ts';
import { enumOf, inputOf } from '../../graphql/schema/input.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { objectType } from '../../graphql/schema/object-type.ts';
import { relatedOrNull } from '../../graphql/schema/related.ts';
import { QuotaExceededError } from '../../kernel/errors.ts';
import { Application } from '../application/graphql.ts';
import { Job } from '../job/graphql.ts';
import {
  copiedImage,
  copiedVariable,
  copyApplication as input,
  type Omission,
  omissionKind,
  omissionKinds,
  secretMode,
  secretModes,
  volumeMode,
  volumeModes,
} from './model.ts';
import { copyApplication } from './operations.ts';

enumOf(
  'CopiedSecrets',
  secretMode,
  'What happens to the secret variables of an application that is copied.',
  secretModes,
);
enumOf(
  'CopiedVolumes',
  volumeMode,
  'What happens to the volumes of an application that is copied.',
  volumeModes,
);
inputOf('CopiedImageInput', copiedImage, 'The image of a component of a copy.');
inputOf('CopiedVariableInput', copiedVariable, 'A variable of a component of a copy.');

export const OmissionType = objectType<Omission>('CopyOmission', {
  description: 'Something of an application that its copy does not have, or that is different in it.',
  exposes: {
    kind: property(
      enumOf(
        'CopyOmissionKind',
        omissionKind,
        'The kind of something that a copy leaves out.',
        omissionKinds,
      ),
      'The kind.',
    ),
    'component: String': 'The name of the component. Null for what belongs to the application.',
    'name: String!': 'The name or the address of the object.',
    'reason: String!': 'Why the copy does not have it, or what it has instead.',
  },
});

builder.objectField(Application, 'copyOf', (t) =>
  relatedOrNull(
    t,
    'copyOfId',
    Application,
    'The application that it was copied from. Null if it is no copy, and if that application was deleted or is not visible to the caller.',
  ),
);

mutation('copyApplication', input, copyApplication, {
  description:
    'Copies an application under another name, also into another team or region: its components with their variables, volumes, ports, gateway rules and installed templates. The copy has a namespace of its own, in which the names of components and services are those of the original, and default addresses of its own. Schedules, deploy hooks, snapshot schedules, domains and certificates stay with the original, and are listed in `omitted`; data, but that of snapshots, and history are not copied. With `dryRun`, only the plan is returned.',
  operation: { selection: { omitted: 'kind component name reason' } },
  errors: [QuotaExceededError],
  payload: {
    application: propertyOrNull(Application, 'The copy. Null for a dry run.'),
    job: propertyOrNull(
      Job,
      'The job that deploys the copy. Null if there is nothing to deploy, and for a dry run.',
    ),
    omitted: property([OmissionType], 'What the copy leaves out, besides data and history.'),
    'leftStopped: [String!]!':
      'The names of the components that `deploy` leaves out: those that are stopped in the application, and those that lack a variable that their template requires.',
  },
});
