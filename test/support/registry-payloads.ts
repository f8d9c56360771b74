import { createHmac } from 'node:crypto';

/** What a registry sends when an image was pushed: the body, and its headers. */
export interface RegistryCall {
  body: string;
  headers: Record<string, string>;
}

/** The image that a registry sends: the names of its host and repository, and the tag. */
export interface Pushed {
  host: string;
  repository: string;
  tag: string;
}

const digest = `sha256:${'4f1c'.repeat(16)}`;
const json = (payload: object, headers: Record<string, string> = {}): RegistryCall => ({
  body: JSON.stringify(payload),
  headers: { 'Content-Type': 'application/json', ...headers },
});

/** @see https://docs.docker.com/docker-hub/repos/manage/webhooks/ */
const dockerHub = ({ repository, tag }: Pushed) => {
  const [namespace, name] = repository.split('/') as [string, string];
  return json({
    callback_url: `https://registry.hub.docker.com/u/${repository}/hook/2141b5bi5i5b02bec211i4eeih0242eg11000a/`,
    push_data: { pushed_at: 1_764_280_800, pusher: 'builder', tag, images: [], media_type: null },
    repository: {
      comment_count: 0,
      date_created: 1_764_200_000,
      description: 'The shop',
      dockerfile: '# syntax=docker/dockerfile:1\nFROM debian\n'.repeat(200),
      full_description: 'x'.repeat(9_000),
      is_official: false,
      is_private: true,
      is_trusted: true,
      name,
      namespace,
      owner: namespace,
      repo_name: repository,
      repo_url: `https://registry.hub.docker.com/u/${repository}/`,
      star_count: 0,
      status: 'Active',
    },
  });
};

/** @see https://docs.github.com/en/webhooks/webhook-events-and-payloads#registry_package */
const gitHubEvent = ({ host, repository, tag }: Pushed, of: 'registry_package' | 'package') => {
  const [owner, name] = repository.split('/') as [string, string];
  // Names of owners have capitals, which those of images do not have.
  const login = owner.toUpperCase();
  const account = { login, id: 21_031_067, node_id: 'MDQ6VXNlcjIx', type: 'Organization', site_admin: false };
  const links = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `link_${index}_url`,
      `https://api.github.com/repos/${login}/${name}`,
    ]),
  );
  return {
    action: 'published',
    [of]: {
      id: 10_696,
      name,
      namespace: login,
      description: null,
      ecosystem: 'CONTAINER',
      package_type: 'CONTAINER',
      html_url: `https://github.com/${login}/${name}/packages/10696`,
      created_at: '2026-11-27T23:28:29Z',
      updated_at: '2026-11-27T23:28:29Z',
      owner: account,
      package_version: {
        id: 57_755_791,
        version: digest,
        name: digest,
        description: '',
        summary: '',
        manifest: '',
        html_url: `https://github.com/orgs/${login}/packages/container/${name}/57755791`,
        target_commitish: 'main',
        metadata: [],
        container_metadata: {
          tag: { name: tag, digest },
          labels: { description: '', all_labels: { 'org.opencontainers.image.version': tag } },
          manifest: {
            digest,
            media_type: 'application/vnd.oci.image.index.v1+json',
            uri: `repositories/${login}/${name}/manifests/${digest}`,
            size: 1_782,
            config: { digest, media_type: 'application/vnd.oci.image.config.v1+json', size: 7_205 },
            layers: Array.from({ length: 30 }, () => ({ digest, media_type: 'tar+gzip', size: 130 })),
          },
        },
        package_files: [],
        installation_command: `docker pull ${host}/${login}/${name}:${tag}`,
        package_url: `${host}/${login}/${name}:${tag}`,
      },
      registry: {
        about_url: 'https://docs.github.com/packages',
        name: 'GitHub CONTAINER registry',
        type: 'CONTAINER',
        url: `https://CONTAINER.pkg.github.com/${login}`,
        vendor: 'GitHub Inc',
      },
    },
    repository: {
      id: 185_882_436,
      name,
      full_name: `${login}/${name}`,
      private: true,
      owner: account,
      ...links,
    },
    sender: account,
  };
};

const signed = (body: string) => ({
  'X-Hub-Signature-256': `sha256=${createHmac('sha256', 'of the webhook').update(body).digest('hex')}`,
  'X-GitHub-Delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
});

const gitHub = (pushed: Pushed) => {
  const { body, headers } = json(gitHubEvent(pushed, 'registry_package'), {
    'X-GitHub-Event': 'registry_package',
  });
  return { body, headers: { ...headers, ...signed(body) } };
};

const gitHubForm = (pushed: Pushed) => {
  const body = new URLSearchParams({ payload: JSON.stringify(gitHubEvent(pushed, 'package')) }).toString();
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'X-GitHub-Event': 'package' };
  return { body, headers: { ...headers, ...signed(body) } };
};

const harborData = ({ host, repository, tag }: Pushed) => ({
  resources: [{ digest, tag, resource_url: `${host}/${repository}:${tag}` }],
  repository: {
    date_created: 1_764_280_800,
    name: repository.split('/').at(-1),
    namespace: repository.split('/')[0],
    repo_full_name: repository,
    repo_type: 'private',
  },
});

/** @see https://goharbor.io/docs/latest/working-with-projects/project-configuration/configure-webhooks/ */
const harbor = (pushed: Pushed) =>
  json({
    type: 'PUSH_ARTIFACT',
    occur_at: 1_764_280_800,
    operator: 'admin',
    event_data: harborData(pushed),
  });

const harborCloudEvent = (pushed: Pushed) =>
  json(
    {
      specversion: '1.0',
      id: '66e18103-cb9c-4d4b-9b1b-7a5b2d1c3d4e',
      requestid: 'e1b9a9f9',
      source: '/projects/1/webhook/policies/1',
      type: 'harbor.artifact.pushed',
      datacontenttype: 'application/json',
      time: '2026-11-27T22:00:00Z',
      operator: 'admin',
      data: harborData(pushed),
    },
    { 'Content-Type': 'application/cloudevents+json' },
  );

/** @see https://distribution.github.io/distribution/about/notifications/ */
const distribution = ({ host, repository, tag }: Pushed) => {
  const event = (action: string, target: object) => ({
    id: '320678d8-ca14-430f-8bb6-4ca139cd83f7',
    timestamp: '2026-11-27T22:00:00.402973972Z',
    action,
    target: { digest, size: 708, length: 708, repository, ...target },
    request: { id: '6df24a34', addr: '192.0.2.11:42961', host, method: 'PUT', useragent: 'docker/28.0' },
    actor: { name: 'builder' },
    source: { addr: 'registry-0:5000', instanceID: 'a53db899-3b4b-4a62-a067-8dd013beaca4' },
  });
  const url = `http://registry-0:5000/v2/${repository}`;
  return json(
    {
      events: [
        event('push', { mediaType: 'application/octet-stream', url: `${url}/blobs/${digest}` }),
        // The image of one platform has no tag.
        event('push', {
          mediaType: 'application/vnd.oci.image.manifest.v1+json',
          url: `${url}/manifests/${digest}`,
        }),
        event('push', {
          mediaType: 'application/vnd.oci.image.index.v1+json',
          url: `${url}/manifests/${digest}`,
          tag,
        }),
        event('pull', { repository: 'shop/other', tag: 'main', url: `${url}/manifests/${digest}` }),
      ],
    },
    { 'Content-Type': 'application/vnd.docker.distribution.events.v2+json' },
  );
};

/** How each registry calls, and a host and a repository that it can have. */
export const registries: {
  [name: string]: { call: (pushed: Pushed) => RegistryCall; host: string; repository: string };
} = {
  'Docker Hub': { call: dockerHub, host: 'docker.io', repository: 'acme/web' },
  'GitHub container registry': { call: gitHub, host: 'ghcr.io', repository: 'acme/web' },
  'GitHub container registry, as a form': { call: gitHubForm, host: 'ghcr.io', repository: 'acme/web' },
  Harbor: { call: harbor, host: 'harbor.example', repository: 'shop/team/web' },
  'Harbor, as a CloudEvent': { call: harborCloudEvent, host: 'harbor.example', repository: 'shop/web' },
  'the distribution registry': { call: distribution, host: 'registry.example:5000', repository: 'shop/web' },
};

/** Events of registries that push nothing. */
export const otherEvents: { [name: string]: RegistryCall } = {
  'the ping of GitHub': json(
    { zen: 'Keep it simple.', hook_id: 1, hook: { type: 'Repository' } },
    { 'X-GitHub-Event': 'ping' },
  ),
  'a push of commits': json(
    { ref: 'refs/heads/main', repository: { full_name: 'acme/web' } },
    { 'X-GitHub-Event': 'push' },
  ),
  'a pull from Harbor': json({
    type: 'PULL_ARTIFACT',
    event_data: harborData({ host: 'harbor.example', repository: 'shop/web', tag: 'main' }),
  }),
  'an empty envelope': json({ events: [] }),
};
