import type { Known } from './documents.ts';
import type { World } from './surfaces-world.ts';

/** What documents about a world may name: what is there, and a little that is not. */
export async function knownOf({
  trellis,
  team,
  regions,
  appId,
  componentId,
  failing,
}: World): Promise<Known> {
  const data = await trellis.data(
    `query($team: String!, $app: Int!, $fails: Int!) {
      viewer { user { id uid email } enterprise { id uid } accessToken { id tokenId: uid } }
      team(by: { teamId: $team }) {
        id
        regions { pageInfo { startCursor } nodes { id } }
        applications { edges { cursor } }
        members { nodes { id } pageInfo { endCursor } }
        certificates { nodes { id uid } }
        registryCredentials { nodes { id uid } }
        webhooks { nodes { id uid } }
        events(first: 3) { nodes { id } pageInfo { endCursor } }
      }
      application(by: { appId: $app }) {
        id
        gatewayRules { http { nodes { id uid } } tcp { nodes { id uid } } }
        components { pageInfo { startCursor } nodes { id uid
          runs { nodes { id uid } }
          schedules { nodes { id uid } }
          ports { nodes { id } pageInfo { endCursor } } } }
      }
      failing: application(by: { appId: $fails }) { id components { nodes { id uid } } }
      templates { nodes { id uid versions { nodes { id } } } }
    }`,
    { team: team.teamId, app: appId, fails: failing.appId },
  );
  const component = data.application.components.nodes.find(
    (each: { uid: string }) => each.uid === componentId,
  );
  const [burning] = data.failing.components.nodes;
  const ids: string[] = [
    data.viewer.user.id,
    data.viewer.enterprise.id,
    data.viewer.accessToken.id,
    data.team.id,
    ...data.team.regions.nodes.map((each: { id: string }) => each.id),
    data.team.members.nodes[0].id,
    data.team.certificates.nodes[0].id,
    data.team.registryCredentials.nodes[0].id,
    data.team.webhooks.nodes[0].id,
    data.team.events.nodes[0].id,
    data.application.id,
    data.failing.id,
    component.id,
    burning.id,
    component.runs.nodes[0].id,
    component.schedules.nodes[0].id,
    component.ports.nodes[0].id,
    component.ports.nodes[1].id,
    data.application.gatewayRules.http.nodes[0].id,
    data.application.gatewayRules.tcp.nodes[0].id,
    data.templates.nodes[0].id,
    data.templates.nodes[0].versions.nodes[0].id,
  ];
  const cursors = [
    data.team.regions.pageInfo.startCursor,
    data.team.applications.edges[0].cursor,
    data.team.members.pageInfo.endCursor,
    data.team.events.pageInfo.endCursor,
    data.application.components.pageInfo.startCursor,
    component.ports.pageInfo.endCursor,
    'x',
  ];
  const { name } = regions.main;
  const sizes = [0, 1, 2, 3, 5, 20, 100, 101, -1];
  return {
    'TeamRef.id': [data.team.id],
    'TeamRef.name': [team.name, team.name, team.name, 'nobody'],
    'TeamRef.teamId': [team.teamId],
    'RegionRef.id': data.team.regions.nodes.map((each: { id: string }) => each.id),
    'RegionRef.name': [name, regions.failing.name, 'nowhere'],
    'RegionRef.regionId': [regions.main.regionId, regions.failing.regionId],
    'ApplicationRef.id': [data.application.id, data.failing.id, data.team.id],
    'ComponentRef.id': [component.id, burning.id],
    'PortRef.id': [component.ports.nodes[0].id],
    'CertificateRef.id': [data.team.certificates.nodes[0].id],
    'TemplateRef.id': [data.templates.nodes[0].id],
    'UserRef.id': [data.viewer.user.id],
    'HttpRuleRef.id': [data.application.gatewayRules.http.nodes[0].id],
    'GatewayRuleRef.id': [data.application.gatewayRules.tcp.nodes[0].id],
    appId: [appId, appId, failing.appId, 999_999],
    componentId: [componentId, burning.uid, componentId, 'none'],
    'RegistryCredentialRef.id': [data.team.registryCredentials.nodes[0].id],
    'WebhookRef.id': [data.team.webhooks.nodes[0].id],
    'RunRef.id': [component.runs.nodes[0].id],
    runId: [component.runs.nodes[0].uid, 'none'],
    'ScheduleRef.id': [component.schedules.nodes[0].id],
    scheduleId: [component.schedules.nodes[0].uid, 'none'],
    webhookId: [data.team.webhooks.nodes[0].uid, 'none'],
    credentialId: [data.team.registryCredentials.nodes[0].uid],
    certificateId: [data.team.certificates.nodes[0].uid],
    templateId: [data.templates.nodes[0].uid, 4711],
    userId: [data.viewer.user.uid, 4711],
    email: [data.viewer.user.email],
    enterpriseId: [data.viewer.enterprise.uid, 'other'],
    tokenId: [data.viewer.accessToken.tokenId],
    number: [8080, 9090, 1],
    image: ['127.0.0.1:1/shop/web:1.0'],
    search: ['a', 'shop', '', 'nothing at all'],
    first: sizes,
    last: sizes,
    after: cursors,
    before: cursors,
    ID: [...ids, ...ids, 'VGVhbTp4', 'x', ''],
    String: [name, team.name, 'x', '', '__proto__', '\u0000', 'ß "quoted" \\ \n'],
    JSON: [{}, 'x', 1],
    Int: [0, 1, 8080, 2 ** 31 - 1],
    Float: [0, 1.5],
    DateTime: ['2026-01-01T00:00:00Z', '2099-01-01T00:00:00.000Z', 'yesterday'],
  };
}
