import { expect, it } from 'vitest';
import { useTrellis } from '../../support/trellis.ts';
import { type Edit, upgradesOf } from '../../support/upgrades.ts';

const trellis = useTrellis();

const selection = `component { uid kind isInner opensWebhooks isUpgradedAfterBuild gpuMemoryMiB createStatus source {
  kind codeFrom gitUrl gitProjectId codeVersion language serverType oauthServiceId containerCommand checkUuid checkEventId } }`;

it('createComponent stores the source of the component, and REST returns it', async () => {
  const { application, team, region } = await trellis.createAll();
  const source = {
    codeFrom: 'gitlab',
    gitUrl: 'git@git.example:shop/web.git',
    gitProjectId: 12,
    codeVersion: 'main',
    language: 'Go',
    serverType: 'git',
    oauthServiceId: 3,
    containerCommand: 'run --name web',
  };
  const own = {
    kind: 'web',
    isInner: true,
    opensWebhooks: true,
    isUpgradedAfterBuild: false,
    gpuMemoryMiB: 64,
  };
  const { component } = await trellis.succeed(
    'createComponent',
    { application: { appId: application.appId }, name: 'aaa', image: 'x:1', ...own, source },
    selection,
  );
  expect(component).toEqual({
    uid: component.uid,
    ...own,
    createStatus: null,
    source: { ...source, kind: 'SOURCE_CODE', checkUuid: null, checkEventId: null },
  });
  const response = await fetch(
    `${trellis.url}/openapi/v1/teams/${team.teamId}/regions/${region.name}/apps/${application.appId}/services`,
    { headers: { Authorization: `Bearer ${trellis.adminToken}` } },
  );
  expect(((await response.json()) as any[]).find((each) => each.service_id === component.uid)).toMatchObject({
    service_type: 'web',
    is_service: true,
    open_webhooks: true,
    build_upgrade: false,
    container_gpu: 64,
    service_source: 'source_code',
    code_from: 'gitlab',
    git_url: 'git@git.example:shop/web.git',
    git_project_id: 12,
    code_version: 'main',
    language: 'Go',
    server_type: 'git',
    oauth_service_id: 3,
    container_cmd: 'run --name web',
    create_status: null,
    check_uuid: null,
    check_event_id: null,
  });
});

it('createComponent uses the source kind IMAGE by default, and names the field of an invalid source', async () => {
  const { application } = await trellis.createAll();
  const input = { application: { appId: application.appId }, name: 'x', image: 'x:1' };
  const { component } = await trellis.succeed('createComponent', input, selection);
  expect(component.source).toMatchObject({ kind: 'CONTAINER_RUN', serverType: 'git', gitUrl: null });
  for (const [source, path] of [
    [{ kind: 'MARKET' }, 'kind'],
    [{ gitUrl: 'https://user:password@git.example/x' }, 'gitUrl'],
    [{ gitUrl: 'file:///etc/passwd' }, 'gitUrl'],
    [{ gitProjectId: -1 }, 'gitProjectId'],
  ] as const) {
    const { issues } = await trellis.attempt('createComponent', { ...input, source });
    expect(issues).toEqual([{ path: ['input', 'source', path], message: expect.any(String) }]);
  }
});

it('a template sets the source of its components, and an upgrade updates it', async () => {
  const { installed, changesOf } = upgradesOf(trellis);
  const typed =
    (type: string): Edit =>
    (app) =>
      Object.assign(app, { service_type: type, language: 'Java' });
  const { appId, key, components } = await installed(1, [typed('mysql'), typed('redis')]);
  const kindOf = async () => {
    const { component } = await trellis.data(
      `{ component(by: { componentId: "${components[0].uid}" }) { kind category source { kind language } } }`,
    );
    return component;
  };
  const source = { kind: 'MARKET', language: 'Java' };
  expect(await kindOf()).toEqual({ kind: 'mysql', category: 'APPLICATION', source });
  expect(await changesOf(appId, key)).toContain('SET part-0 componentType mysql redis');
  expect(await kindOf()).toEqual({ kind: 'redis', category: 'APPLICATION', source });
});
