import { builder, restName } from '../graphql/builder.ts';

interface Source {
  kind: string | null;
  codeFrom: string | null;
  gitUrl: string | null;
  gitProjectId: number;
  codeVersion: string | null;
  language: string | null;
  serverType: string;
  oauthServiceId: number | null;
  checkUuid: string | null;
  checkEventId: string | null;
  containerCommand: string | null;
}

export const ComponentSource = builder.objectRef<Source>('ComponentSource').implement({
  description: 'Where a component comes from: an image, a repository, or a template.',
  fields: (t) => ({
    kind: t.exposeString('kind', {
      nullable: true,
      description: restName(
        '`source_code`, `market`, `container_run` or `container_compose`.',
        'service_source',
      ),
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
    checkUuid: t.exposeString('checkUuid', {
      nullable: true,
      description: restName('Detection id.', 'check_uuid'),
    }),
    checkEventId: t.exposeString('checkEventId', {
      nullable: true,
      description: restName('Detection event id.', 'check_event_id'),
    }),
    containerCommand: t.exposeString('containerCommand', {
      nullable: true,
      description: restName('Command that made the container.', 'container_cmd'),
    }),
  }),
});
