import { builder, restName } from '../../graphql/schema/builder.ts';
import { enumOf, inputOf } from '../../graphql/schema/input.ts';
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

const SourceKind = enumOf('ComponentSourceKind', sourceKind, 'What a component is made from.', {
  source_code: 'A code repository. REST `source_code`.',
  market: 'A template of an app store. REST `market`.',
  container_run: 'An image. REST `container_run`.',
  container_compose: 'A composition of containers. REST `container_compose`.',
});

inputOf('ComponentSourceInput', componentSource, 'Where a new component comes from.');

export const ComponentSource = builder.objectRef<Source>('ComponentSource').implement({
  description: 'Where a component comes from: an image, a repository, or a template.',
  fields: (t) => ({
    kind: t.field({
      type: SourceKind,
      nullable: true,
      description: restName('The kind of the source.', 'service_source'),
      resolve: ({ kind }) => kind as 'market' | null,
    }),
    codeFrom: t.exposeString('codeFrom', {
      nullable: true,
      description: restName('Kind of the hosted git service.', 'code_from'),
    }),
    gitUrl: t.exposeString('gitUrl', {
      nullable: true,
      description: restName('Code repository.', 'git_url'),
    }),
    gitProjectId: t.exposeInt('gitProjectId', {
      description: restName('Project in the repository host; 0 for none.', 'git_project_id'),
    }),
    codeVersion: t.exposeString('codeVersion', {
      nullable: true,
      description: restName('Code version.', 'code_version'),
    }),
    language: t.exposeString('language', { nullable: true, description: 'Language of the code.' }),
    serverType: t.exposeString('serverType', {
      description: restName('Type of the repository.', 'server_type'),
    }),
    oauthServiceId: t.exposeInt('oauthServiceId', {
      nullable: true,
      description: restName('The OAuth service used to pull the source.', 'oauth_service_id'),
    }),
    checkUuid: t.string({
      nullable: true,
      description: restName(
        'The id of the detection of the source. Always null: sources are described by the caller, and not detected.',
        'check_uuid',
      ),
      resolve: () => null,
    }),
    checkEventId: t.string({
      nullable: true,
      description: restName(
        'The id of the event of that detection. Always null, since sources are not detected.',
        'check_event_id',
      ),
      resolve: () => null,
    }),
    containerCommand: t.exposeString('containerCommand', {
      nullable: true,
      description: restName('Command that made the container.', 'container_cmd'),
    }),
  }),
});
