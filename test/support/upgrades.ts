import { expect } from 'vitest';
import { ringTemplate } from './templates.ts';
import type { Trellis } from './trellis.ts';

/** What a version makes of a component of the ring. */
export type Edit = (app: any, index: number) => void;

/** Templates in several versions, installed and upgraded. */
export function upgradesOf(trellis: Trellis) {
  /** One template in several versions, the first of them installed. */
  async function installed(
    size: number,
    edits: Edit[],
    change: (template: any, version: number) => void = () => {},
    { deploy = true } = {},
  ) {
    const { key } = ringTemplate(1);
    for (const [index, edit] of edits.entries()) {
      const template = JSON.parse(ringTemplate(size, { key, version: `${index + 1}.0.0`, edit }).text);
      change(template, index + 1);
      await trellis.succeed('publishTemplate', { template: JSON.stringify(template) }, 'template { uid }');
    }
    const place = await trellis.createPlace();
    const { appId } = await trellis.createApplication(place);
    const { group } = await install(appId, key, '1.0.0', deploy);
    return { key, appId, groupId: group.uid as number, place, components: await componentsOf(appId) };
  }

  const store = (domain = 'self') => ({ url: trellis.url, domain, accessKey: trellis.adminToken });
  const install = (appId: number, templateId: string, version = '1.0.0', deploy = true) =>
    trellis.succeed(
      'installApplication',
      { application: { appId }, store: store(), templateId, version, deploy },
      'group { uid }',
    );

  const upgrade = (appId: number, templateId: string, version = '2.0.0', dryRun = false) =>
    trellis.attempt(
      'upgradeApplication',
      { application: { appId }, upgrades: [{ storeName: 'self', templateId, version }], dryRun },
      'outcomes { changes { kind component name before after } }',
    );

  const rollBack = (groupId: number, dryRun = false, token?: string) =>
    trellis.attempt(
      'rollbackUpgrade',
      { group: { groupId }, dryRun },
      `group { templateVersion rollbackVersion } application { version }
       outcome { templateId fromVersion toVersion changes { kind component name before after } }`,
      token,
    );

  /** What an upgrade changed, in words; the dry run before it has told the same and changed nothing. */
  async function changesOf(appId: number, templateId: string, version = '2.0.0'): Promise<string[]> {
    const before = await componentsOf(appId);
    const planned = await upgrade(appId, templateId, version, true);
    expect(await componentsOf(appId)).toEqual(before);
    const { outcomes, message } = await upgrade(appId, templateId, version);
    expect(message).toBeUndefined();
    expect(planned.outcomes).toEqual(outcomes);
    return outcomes[0].changes.map(({ kind, component, name, before: was, after }: any) =>
      [kind, component, name, was, after].map(String).join(' '),
    );
  }

  async function componentsOf(appId: number): Promise<any[]> {
    const data = await trellis.data(
      `{ application(by: { appId: ${appId} }) { components(first: 100) { nodes {
        uid name status: state serviceName accessUrls
        ports { nodes { id number protocol alias isOuter } }
        volumes { nodes { name path } }
        variables { nodes { name value } }
        gatewayRules { http { nodes { path isDefault } } tcp { nodes { endpoint } } }
      } } } }`,
    );
    return data.application.components.nodes;
  }

  return { installed, install, upgrade, rollBack, changesOf, componentsOf, store };
}
