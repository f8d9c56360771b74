import { Redirect, Route, Switch } from 'wouter';
import { TeamsPage } from './pages/teams.tsx';
import { NotFound } from './ui/blocks.tsx';
import { lazyPage } from './ui/lazy-page.tsx';

const AccountPage = lazyPage(async () => (await import('./people/users/account-page.tsx')).AccountPage);
const ApplicationJobsPage = lazyPage(
  async () => (await import('./pages/application.tsx')).ApplicationJobsPage,
);
const ApplicationManifestPage = lazyPage(
  async () => (await import('./pages/application-manifest.tsx')).ApplicationManifestPage,
);
const ApplicationMapPage = lazyPage(
  async () => (await import('./pages/application-map.tsx')).ApplicationMapPage,
);
const ApplicationPage = lazyPage(async () => (await import('./pages/application.tsx')).ApplicationPage);
const ApplicationRecordPage = lazyPage(
  async () => (await import('./pages/application-record.tsx')).ApplicationRecordPage,
);
const ApplicationRulesPage = lazyPage(
  async () => (await import('./pages/application-rules.tsx')).ApplicationRulesPage,
);
const ApplicationPreviewsPage = lazyPage(
  async () => (await import('./pages/application-previews.tsx')).ApplicationPreviewsPage,
);
const ApplicationUpgradesPage = lazyPage(
  async () => (await import('./pages/application-upgrades.tsx')).ApplicationUpgradesPage,
);
const AutomationPage = lazyPage(
  async () => (await import('./people/automation/automation-page.tsx')).AutomationPage,
);
const CertificatesPage = lazyPage(
  async () => (await import('./exposure/certificates/page.tsx')).CertificatesPage,
);
const ComponentPage = lazyPage(async () => (await import('./pages/component.tsx')).ComponentPage);
const ComponentConfigurationPage = lazyPage(
  async () => (await import('./pages/component-configuration.tsx')).ComponentConfigurationPage,
);
const ComponentHistoryPage = lazyPage(
  async () => (await import('./pages/component-history.tsx')).ComponentHistoryPage,
);
const ComponentLogsPage = lazyPage(
  async () => (await import('./pages/component-logs.tsx')).ComponentLogsPage,
);
const ComponentNetworkPage = lazyPage(
  async () => (await import('./pages/component-network.tsx')).ComponentNetworkPage,
);
const ComponentRunsPage = lazyPage(
  async () => (await import('./pages/component-runs.tsx')).ComponentRunsPage,
);
const ComponentUsagePage = lazyPage(
  async () => (await import('./pages/component-usage.tsx')).ComponentUsagePage,
);
const EnterpriseRecordPage = lazyPage(
  async () => (await import('./pages/enterprise-record.tsx')).EnterpriseRecordPage,
);
const ExposedPage = lazyPage(async () => (await import('./exposure/addresses/page.tsx')).ExposedPage);
const JobPage = lazyPage(async () => (await import('./pages/job.tsx')).JobPage);
const MembersPage = lazyPage(async () => (await import('./people/members/members-page.tsx')).MembersPage);
const PortPage = lazyPage(async () => (await import('./pages/port.tsx')).PortPage);
const RegionPage = lazyPage(async () => (await import('./pages/region.tsx')).RegionPage);
const RegionsPage = lazyPage(async () => (await import('./regions/list-page.tsx')).RegionsPage);
const RolesPage = lazyPage(async () => (await import('./people/roles/roles-page.tsx')).RolesPage);
const RulePage = lazyPage(async () => (await import('./pages/rule.tsx')).RulePage);
const StartPage = lazyPage(async () => (await import('./pages/start/page.tsx')).StartPage);
const TeamExposedPage = lazyPage(async () => (await import('./exposure/addresses/page.tsx')).TeamExposedPage);
const TeamImportPage = lazyPage(async () => (await import('./pages/team-manifest.tsx')).TeamImportPage);
const TeamManifestPage = lazyPage(async () => (await import('./pages/team-manifest.tsx')).TeamManifestPage);
const TeamPage = lazyPage(async () => (await import('./pages/team.tsx')).TeamPage);
const TeamRecordPage = lazyPage(async () => (await import('./pages/team-record.tsx')).TeamRecordPage);
const TeamRegistriesPage = lazyPage(
  async () => (await import('./registries/team-registries.tsx')).TeamRegistriesPage,
);
const TeamUsagePage = lazyPage(async () => (await import('./pages/team-usage.tsx')).TeamUsagePage);
const TeamWebhooksPage = lazyPage(async () => (await import('./webhooks/list-page.tsx')).TeamWebhooksPage);
const TemplatePage = lazyPage(async () => (await import('./store/template-page.tsx')).TemplatePage);
const TemplatesPage = lazyPage(async () => (await import('./store/templates-page.tsx')).TemplatesPage);
const UserPage = lazyPage(async () => (await import('./people/users/user-page.tsx')).UserPage);
const UsersPage = lazyPage(async () => (await import('./people/users/users-page.tsx')).UsersPage);
const WebhookPage = lazyPage(async () => (await import('./webhooks/page.tsx')).WebhookPage);

/** From the addresses that parts of the page had before. */
const ToHistory = ({ uid }: { uid: string }) => (
  <Redirect to={`/components/${uid}/history${location.search}`} replace />
);

/** Every page by its address. src/http/console.ts serves the same addresses. */
export function Routes() {
  return (
    <Switch>
      <Route path="/" component={TeamsPage} />
      <Route path="/teams/:name">{({ name }) => <TeamPage name={name} />}</Route>
      <Route path="/teams/:name/members">{({ name }) => <MembersPage name={name} />}</Route>
      <Route path="/teams/:name/automation">{({ name }) => <AutomationPage name={name} />}</Route>
      <Route path="/teams/:name/exposed">{({ name }) => <TeamExposedPage name={name} />}</Route>
      <Route path="/teams/:name/certificates">{({ name }) => <CertificatesPage name={name} />}</Route>
      <Route path="/teams/:name/usage">{({ name }) => <TeamUsagePage name={name} />}</Route>
      <Route path="/teams/:name/manifest">{({ name }) => <TeamManifestPage name={name} />}</Route>
      <Route path="/teams/:name/import">{({ name }) => <TeamImportPage name={name} />}</Route>
      <Route path="/teams/:name/record">{({ name }) => <TeamRecordPage name={name} />}</Route>
      <Route path="/start" component={StartPage} />
      <Route path="/account" component={AccountPage} />
      <Route path="/users" component={UsersPage} />
      <Route path="/users/:uid">{({ uid }) => <UserPage uid={Number(uid)} />}</Route>
      <Route path="/roles" component={RolesPage} />
      <Route path="/record" component={EnterpriseRecordPage} />
      <Route path="/exposed" component={ExposedPage} />
      <Route path="/regions" component={RegionsPage} />
      <Route path="/teams/:name/registries">{({ name }) => <TeamRegistriesPage name={name} />}</Route>
      <Route path="/teams/:name/webhooks">{({ name }) => <TeamWebhooksPage name={name} />}</Route>
      <Route path="/webhooks/:uid">{({ uid }) => <WebhookPage uid={uid} />}</Route>
      <Route path="/templates" component={TemplatesPage} />
      <Route path="/templates/:id">{({ id }) => <TemplatePage templateId={Number(id)} />}</Route>
      <Route path="/regions/:name">{({ name }) => <RegionPage name={name} />}</Route>
      <Route path="/applications/:id">{({ id }) => <ApplicationPage appId={Number(id)} />}</Route>
      <Route path="/applications/:id/map">{({ id }) => <ApplicationMapPage appId={Number(id)} />}</Route>
      <Route path="/applications/:id/manifest">
        {({ id }) => <ApplicationManifestPage appId={Number(id)} />}
      </Route>
      <Route path="/applications/:id/record">
        {({ id }) => <ApplicationRecordPage appId={Number(id)} />}
      </Route>
      <Route path="/applications/:id/rules">{({ id }) => <ApplicationRulesPage appId={Number(id)} />}</Route>
      <Route path="/applications/:id/upgrades">
        {({ id }) => <ApplicationUpgradesPage appId={Number(id)} />}
      </Route>
      <Route path="/applications/:id/previews">
        {({ id }) => <ApplicationPreviewsPage appId={Number(id)} />}
      </Route>
      <Route path="/applications/:id/jobs">{({ id }) => <ApplicationJobsPage appId={Number(id)} />}</Route>
      <Route path="/components/:uid">{({ uid }) => <ComponentPage uid={uid} />}</Route>
      <Route path="/components/:uid/logs">{({ uid }) => <ComponentLogsPage uid={uid} />}</Route>
      <Route path="/components/:uid/network">{({ uid }) => <ComponentNetworkPage uid={uid} />}</Route>
      <Route path="/components/:uid/configuration">
        {({ uid }) => <ComponentConfigurationPage uid={uid} />}
      </Route>
      <Route path="/components/:uid/runs">{({ uid }) => <ComponentRunsPage uid={uid} />}</Route>
      <Route path="/components/:uid/history">{({ uid }) => <ComponentHistoryPage uid={uid} />}</Route>
      <Route path="/components/:uid/record">{({ uid }) => <ToHistory uid={uid} />}</Route>
      <Route path="/components/:uid/releases">{({ uid }) => <ToHistory uid={uid} />}</Route>
      <Route path="/components/:uid/usage">{({ uid }) => <ComponentUsagePage uid={uid} />}</Route>
      <Route path="/components/:uid/ports/:number">
        {({ uid, number }) => <PortPage uid={uid} number={Number(number)} />}
      </Route>
      <Route path="/rules/:id">{({ id }) => <RulePage id={id} />}</Route>
      <Route path="/jobs/:id">{({ id }) => <JobPage jobId={Number(id)} />}</Route>
      <Route component={NotFound} />
    </Switch>
  );
}
