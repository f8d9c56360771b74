// The concepts, parent before child. Each adds its types, queries and mutations to the builder when it is imported,
// which is how Pothos works. Imports register nothing else.
import './domain/enterprise/graphql.ts';
import './domain/user/graphql.ts';
import './domain/role/graphql.ts';
import './domain/team/graphql.ts';
import './domain/team/groups/graphql.ts';
import './domain/service-account/graphql.ts';
import './domain/event/graphql.ts';
import './domain/event/sentence/graphql.ts';
import './domain/certificate/graphql.ts';
import './domain/registry-credential/check-graphql.ts';
import './domain/registry-credential/graphql.ts';
import './domain/region/check-graphql.ts';
import './domain/region/graphql.ts';
import './domain/region/orphan-graphql.ts';
import './domain/region/resources-graphql.ts';
import './domain/application/graphql.ts';
import './domain/application/changed-graphql.ts';
import './domain/application/preview-graphql.ts';
import './domain/application/lists-graphql.ts';
import './domain/member/graphql.ts';
import './domain/job/graphql.ts';
import './domain/job/changed-graphql.ts';
import './domain/component/graphql.ts';
import './domain/component/problem-graphql.ts';
import './domain/component/instances/graphql.ts';
import './domain/component/usage/graphql.ts';
import './domain/component/usage/history-graphql.ts';
import './domain/component/usage/traffic-graphql.ts';
import './domain/component/lists-graphql.ts';
import './domain/component/queries-graphql.ts';
import './domain/component/variables/mutations-graphql.ts';
import './domain/component/volumes/mutations-graphql.ts';
import './domain/component/snapshots/graphql.ts';
import './domain/component/snapshots/schedule/graphql.ts';
import './domain/component/dependencies/graphql.ts';
import './domain/component/autoscaling/graphql.ts';
import './domain/component/health/graphql.ts';
import './domain/component/placement/graphql.ts';
import './domain/component/removal/graphql.ts';
import './domain/component/deploy/graphql.ts';
import './domain/run/graphql.ts';
import './domain/run/logs-graphql.ts';
import './domain/run/schedules/graphql.ts';
import './domain/access-token/graphql.ts';
import './domain/session/graphql.ts';
import './domain/trust/graphql.ts';
import './domain/webhook/graphql.ts';
import './domain/webhook/delivery-graphql.ts';
import './domain/deploy-hook/graphql.ts';
import './domain/port/graphql.ts';
import './domain/gateway-rule/graphql.ts';
import './domain/gateway-rule/lists-graphql.ts';
import './domain/app-store/graphql.ts';
import './domain/app-store/uninstall/graphql.ts';
import './domain/app-store/publish/graphql.ts';
import './domain/app-store/upgrade/graphql.ts';
import './domain/namespace/graphql.ts';
import './domain/copy/graphql.ts';
import './domain/manifest/graphql.ts';
import './domain/release/deployed-image-graphql.ts';
import './domain/release/graphql.ts';
import './domain/preview/graphql.ts';
import { tokensOfServiceAccounts } from './domain/access-token/rows.ts';
import { templatesOfTeam } from './domain/app-store/publish/rows.ts';
import { appStoreRoutes } from './domain/app-store/rest.ts';
import { storesOfGroups, storesOfTeam } from './domain/app-store/rows.ts';
import { provideHealth } from './domain/application/health-reads.ts';
import { applicationHooks } from './domain/application/hooks.ts';
import { applicationsInTeamRegion, applicationsOfTeam } from './domain/application/place-reads.ts';
import { applicationRoutes } from './domain/application/rest.ts';
import { certificateHooks } from './domain/certificate/hooks.ts';
import { certificatesOfTeam } from './domain/certificate/rows.ts';
import { componentsOfCredential } from './domain/component/deploy/credential-hooks.ts';
import { desiredOfComponent } from './domain/component/deploy/desired-reads.ts';
import { healthOfApplications } from './domain/component/health-reads.ts';
import { componentHooks } from './domain/component/hooks.ts';
import { namespaceOfComponents } from './domain/component/names/isolation-rows.ts';
import { componentRoutes } from './domain/component/rest.ts';
import { accessUrlProviders } from './domain/component/view-rest.ts';
import { deployHooksOfComponents } from './domain/deploy-hook/rows.ts';
import { rulesOfCertificate } from './domain/gateway-rule/certificate-hooks.ts';
import { desiredRules } from './domain/gateway-rule/desired-reads.ts';
import { domainsInTeamRegion, domainsOfTeam } from './domain/gateway-rule/http/domain-rows.ts';
import { rulesOfComponents } from './domain/gateway-rule/many-rows.ts';
import { rulesOfPort } from './domain/gateway-rule/port-hooks.ts';
import { accessUrlsOfAll } from './domain/gateway-rule/reads.ts';
import { rulesOfRegion } from './domain/gateway-rule/region-reads.ts';
import { gatewayRuleRoutes } from './domain/gateway-rule/rest.ts';
import { provideDesired } from './domain/job/desired-reads.ts';
import { provideDeployGate } from './domain/job/gate-hooks.ts';
import { jobsInTeamRegion, jobsOfTeam } from './domain/job/place-reads.ts';
import { desiredPorts } from './domain/port/desired-reads.ts';
import { portHooks } from './domain/port/hooks.ts';
import { portRoutes } from './domain/port/rest.ts';
import { portsOfComponents } from './domain/port/rows.ts';
import { previewsOfApplications } from './domain/preview/rows.ts';
import { regionHooks } from './domain/region/hooks.ts';
import { resourceRoutes } from './domain/region/resources-rest.ts';
import { regionRoutes } from './domain/region/rest.ts';
import { regionsOfTeam } from './domain/region/rows.ts';
import { registryCredentialHooks } from './domain/registry-credential/hooks.ts';
import { registryCredentialsOfTeam } from './domain/registry-credential/rows.ts';
import { releasesOfDeploys } from './domain/release/rows.ts';
import { deploysOfRuns, runsBeforeDeploys } from './domain/run/deploy-operations.ts';
import { schedulesOfComponents } from './domain/run/schedules/rows.ts';
import { serviceAccountHooks } from './domain/service-account/hooks.ts';
import { serviceAccountsOfTeam } from './domain/service-account/rows.ts';
import { groupRolesOfTeam, membershipsOfGroups } from './domain/team/groups/hooks.ts';
import { teamHooks } from './domain/team/hooks.ts';
import { teamRoutes } from './domain/team/rest.ts';
import { trustsOfServiceAccounts } from './domain/trust/rows.ts';
import { signInHooks } from './domain/user/hooks.ts';
import { userRoutes } from './domain/user/rest.ts';
import { webhooksOfServiceAccounts, webhooksOfTeam } from './domain/webhook/rows.ts';
import { builder } from './graphql/schema/builder.ts';
import './graphql/schema/limits.ts';
import { withNotedErrors } from './graphql/schema/errors.ts';
import type { Route } from './rest/route.ts';

// Hooks of concepts into those below them, which do not import them.
applicationHooks.push(namespaceOfComponents, previewsOfApplications);
portHooks.push(rulesOfPort);
certificateHooks.push(rulesOfCertificate);
registryCredentialHooks.push(componentsOfCredential);
componentHooks.push(
  rulesOfComponents,
  portsOfComponents,
  deployHooksOfComponents,
  schedulesOfComponents,
  deploysOfRuns,
  releasesOfDeploys,
  storesOfGroups,
);
teamHooks.push(
  applicationsOfTeam,
  jobsOfTeam,
  domainsOfTeam,
  storesOfTeam,
  templatesOfTeam,
  certificatesOfTeam,
  registryCredentialsOfTeam,
  regionsOfTeam,
  webhooksOfTeam,
  serviceAccountsOfTeam,
  groupRolesOfTeam,
);
serviceAccountHooks.push(tokensOfServiceAccounts, trustsOfServiceAccounts, webhooksOfServiceAccounts);
signInHooks.push(membershipsOfGroups);
regionHooks.push(applicationsInTeamRegion, jobsInTeamRegion, domainsInTeamRegion, rulesOfRegion);
accessUrlProviders.push(accessUrlsOfAll);
provideHealth(healthOfApplications);
provideDeployGate(runsBeforeDeploys);
provideDesired({ component: desiredOfComponent, ports: desiredPorts, rules: desiredRules });

/** The GraphQL schema of all concepts. Sorting it would make it a second time at each start; `schema.graphql` is sorted. */
export const schema = withNotedErrors(builder.toSchema({ sortSchema: false }));

/** The routes of all concepts, below `/openapi/v1`. */
export const routes: readonly Route[] = [
  ...teamRoutes,
  ...resourceRoutes,
  ...userRoutes,
  ...regionRoutes,
  ...applicationRoutes,
  ...componentRoutes,
  ...portRoutes,
  ...gatewayRuleRoutes,
  ...appStoreRoutes,
];
