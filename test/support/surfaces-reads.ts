import { applicationInfo, componentInfo, portInfo, rules, upgradeInfo } from './surfaces-models.ts';
import type { Trellis } from './trellis.ts';

/** GraphQL's side of what REST lists below an application, in the words of the contract. */
export function graphqlReads(trellis: Trellis, token?: string) {
  async function application(appId: number, selection: string) {
    const { data, errors = [] } = await trellis.graphql(
      `query Q($appId: Int!) { application(by: { appId: $appId }) { ${selection} } }`,
      { appId },
      token,
    );
    // What lies outside and does not answer costs its own fields, and nothing else may fail.
    const known = ['REGION_UNAVAILABLE', 'STORE_UNAVAILABLE', 'STORE_REFUSED'];
    if (errors.some((error) => !known.includes(error.extensions.code)))
      throw new Error(JSON.stringify(errors));
    return data.application;
  }
  async function components(appId: number): Promise<any[]> {
    const selection = `components(first: 100) { nodes { ${componentInfo.selection} } }`;
    return (await application(appId, selection)).components.nodes.map(componentInfo.of);
  }
  return {
    components,
    async application(appId: number) {
      return applicationInfo.of(await application(appId, applicationInfo.selection));
    },
    async rules(appId: number): Promise<any> {
      return rules.of((await application(appId, `gatewayRules { ${rules.selection} }`)).gatewayRules);
    },
    async upgrades(appId: number): Promise<any[]> {
      const selection = `team { enterprise { uid } } upgrades { ${upgradeInfo.selection} }`;
      const { team, upgrades } = await application(appId, selection);
      return upgrades.map((each: any) => upgradeInfo.of({ ...each, enterpriseId: team.enterprise.uid }));
    },
    /** The answer of an install, when nothing happened since. */
    async installed(appId: number) {
      const found = await application(
        appId,
        'appId: uid note region { name } team { uid enterprise { uid } }',
      );
      return {
        enterprise_id: found.team.enterprise.uid,
        team_id: found.team.uid,
        note: found.note ?? '',
        ID: found.appId,
        region_name: found.region.name,
        service_list: await components(appId),
      };
    },
    async ports(componentId: string): Promise<any[]> {
      const { component } = await trellis.data(
        `query Q($componentId: String!) { component(by: { componentId: $componentId }) {
          ports(first: 100) { nodes { ${portInfo.selection} } } } }`,
        { componentId },
        token,
      );
      return component.ports.nodes.map(portInfo.of);
    },
  };
}
