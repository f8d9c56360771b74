import { builder, restName } from '../../graphql/schema/builder.ts';
import { enumOf, inputOf } from '../../graphql/schema/input.ts';
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

export const ComponentSource = builder.objectRef<Source>('ComponentSource').implement({
  description: 'The source of a component: an image, a code repository, or a template.',
  fields: (t) => ({
    kind: t.field({
      type: SourceKind,
      nullable: true,
      description: restName('The kind of the source.', 'service_source'),
      resolve: ({ kind }) => kind as 'market' | null,
    }),
    codeFrom: t.exposeString('codeFrom', {
      nullable: true,
      description: restName(
        `The git hosting service, for example \`github\` or \`gitlab\`. ${onlyStored}`,
        'code_from',
      ),
    }),
    gitUrl: t.exposeString('gitUrl', {
      nullable: true,
      description: restName(`The URL of the code repository. ${onlyStored}`, 'git_url'),
    }),
    gitProjectId: t.exposeInt('gitProjectId', {
      description: restName(
        `The id of the project at the git hosting service. 0 if there is none. ${onlyStored}`,
        'git_project_id',
      ),
    }),
    codeVersion: t.exposeString('codeVersion', {
      nullable: true,
      description: restName(`The branch, tag or commit. ${onlyStored}`, 'code_version'),
    }),
    language: t.exposeString('language', {
      nullable: true,
      description: `The programming language. ${onlyStored}`,
    }),
    serverType: t.exposeString('serverType', {
      description: restName(`The type of the repository. ${onlyStored}`, 'server_type'),
    }),
    oauthServiceId: t.exposeInt('oauthServiceId', {
      nullable: true,
      description: restName(`The OAuth service used to pull the source. ${onlyStored}`, 'oauth_service_id'),
    }),
    checkUuid: t.string({
      nullable: true,
      description: restName(
        'The id of the source detection. Always null, because sources are set by the caller and not detected.',
        'check_uuid',
      ),
      resolve: () => null,
    }),
    checkEventId: t.string({
      nullable: true,
      description: restName(
        'The id of the source detection event. Always null, because sources are set by the caller and not detected.',
        'check_event_id',
      ),
      resolve: () => null,
    }),
    containerCommand: t.exposeString('containerCommand', {
      nullable: true,
      description: restName(`The command that creates the container. ${onlyStored}`, 'container_cmd'),
    }),
  }),
});
