import { enumOf, inputOf } from '../../graphql/schema/input.ts';
import { objectType } from '../../graphql/schema/object-type.ts';
import { onlyStored } from '../../kernel/validate.ts';
import { componentSource, sourceKind } from './model.ts';

interface Source {
  kind: string | null;
  codeFrom: string | null;
  gitUrl: string | null;
  gitProjectId: number;
  codeVersion: string | null;
  language: string | null;
  serverType: string;
  oauthServiceId: number | null;
  containerCommand: string | null;
}

const SourceKind = enumOf(
  'ComponentSourceKind',
  sourceKind,
  'The kind of source that a component is created from.',
  {
    source_code: 'A code repository. REST: `source_code`.',
    market: 'A template of an app store. REST: `market`.',
    container_run: 'An image. REST: `container_run`.',
    container_compose: 'A container composition. REST: `container_compose`.',
  },
);

inputOf('ComponentSourceInput', componentSource, 'The source of a new component.');

export const ComponentSource = objectType<Source>('ComponentSource', {
  description: 'The source of a component: an image, a code repository, or a template.',
  exposes: {
    'codeFrom: String': `The git hosting service, for example \`github\` or \`gitlab\`. ${onlyStored} REST: \`code_from\`.`,
    'gitUrl: String': `The URL of the code repository. ${onlyStored} REST: \`git_url\`.`,
    'gitProjectId: Int!': `The id of the project at the git hosting service. 0 if there is none. ${onlyStored} REST: \`git_project_id\`.`,
    'codeVersion: String': `The branch, tag or commit. ${onlyStored} REST: \`code_version\`.`,
    'language: String': `The programming language. ${onlyStored}`,
    'serverType: String!': `The type of the repository. ${onlyStored} REST: \`server_type\`.`,
    'oauthServiceId: Int': `The OAuth service used to pull the source. ${onlyStored} REST: \`oauth_service_id\`.`,
    'containerCommand: String': `The command that creates the container. ${onlyStored} REST: \`container_cmd\`.`,
  },
  fields: (t) => ({
    kind: t.field({
      type: SourceKind,
      nullable: true,
      description: 'The kind of the source. REST: `service_source`.',
      resolve: ({ kind }) => kind as 'market' | null,
    }),
    checkUuid: t.string({
      nullable: true,
      description:
        'The id of the source detection. Always null, because sources are set by the caller and not detected. REST: `check_uuid`.',
      resolve: () => null,
    }),
    checkEventId: t.string({
      nullable: true,
      description:
        'The id of the source detection event. Always null, because sources are set by the caller and not detected. REST: `check_event_id`.',
      resolve: () => null,
    }),
  }),
});
