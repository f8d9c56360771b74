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
  'The handling of secret variables in a copy of an application.',
  secretModes,
);
enumOf('CopiedVolumes', volumeMode, 'The handling of volumes in a copy of an application.', volumeModes);
inputOf('CopiedImageInput', copiedImage, 'The image of a component of a copy.');
inputOf('CopiedVariableInput', copiedVariable, 'A variable of a component of a copy.');

export const OmissionType = objectType<Omission>('CopyOmission', {
  description: 'A part of an application that is missing from its copy, or different in it.',
  exposes: {
    kind: property(
      enumOf(
        'CopyOmissionKind',
        omissionKind,
        'The kind of a part that a copy leaves out or changes.',
        omissionKinds,
      ),
      'The kind.',
    ),
    'component: String': 'The name of the component. Null for a part of the application itself.',
    'name: String!': 'The name or the address of the object.',
    'reason: String!': 'Why the part is missing, or what the copy has instead.',
  },
});

builder.objectField(Application, 'copyOf', (t) =>
  relatedOrNull(
    t,
    'copyOfId',
    Application,
    'The application that this one was copied from. Null if this application is not a copy, or if the original was deleted or is not visible to the caller.',
  ),
);

mutation('copyApplication', input, copyApplication, {
  description:
    'Copies an application under another name, optionally into another team or region: its components with their variables, volumes, ports, gateway rules and installed templates. The copy has its own namespace, with the same names of components and services as in the original, and its own default addresses. Schedules, deploy hooks, snapshot schedules, domains and certificates are not copied, and are listed in `omitted`. History is not copied, and data only from snapshots. With `dryRun`, returns only the plan.',
  operation: { selection: { omitted: 'kind component name reason' } },
  errors: [QuotaExceededError],
  payload: {
    application: propertyOrNull(Application, 'The copy. Null for a dry run.'),
    job: propertyOrNull(
      Job,
      'The job that deploys the copy. Null if there is nothing to deploy, and for a dry run.',
    ),
    omitted: property(
      [OmissionType],
      'The parts of the application that the copy leaves out, besides data and history.',
    ),
    'leftStopped: [String!]!':
      'The names of the components that `deploy` does not deploy: those that are stopped in the application, and those without a value for a required variable of their template.',
  },
});
