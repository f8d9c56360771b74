/**
 * The response models of the contract as GraphQL tells them: what to select of each object, and how its fields
 * become those of the contract. Written from `spec/management-api.md` alone, never from what REST answers.
 */
interface Model {
  selection: string;
  of(node: any): Record<string, unknown>;
}

const lower = (name: string | null) => name?.toLowerCase() ?? null;

const regionDigits: Record<string, string> = { EDITING: '0', ENABLED: '1', DISABLED: '2', MAINTENANCE: '3' };

export const teamInfo: Model = {
  selection: `uid name alias enterprise { uid } isActive createdAt creator { nickName } roles { name role }
    componentCount regionCount`,
  of: (team) => ({
    tenant_id: team.uid,
    tenant_name: team.name,
    tenant_alias: team.alias,
    enterprise_id: team.enterprise.uid,
    is_active: team.isActive,
    create_time: team.createdAt,
    // What is text in the contract is empty where there is nothing.
    creater: team.creator?.nickName ?? '',
    role_infos: team.roles.map((each: any) => ({ role_name: each.name, role_id: lower(each.role) })),
    service_num: team.componentCount,
    region_num: team.regionCount,
  }),
};

const regionSelection = `uid name alias url websocketUrl httpDomain tcpDomain status description scope
  credentials { token caCertificate clientCertificate clientKey }`;

/** A region of a team: the node carries the name of the team as `teamName`. */
export const teamRegion: Model = {
  selection: regionSelection,
  of: (region) => ({
    region_id: region.uid,
    region_name: region.name,
    region_alias: region.alias,
    tenant_name: region.teamName,
    url: region.url,
    wsurl: region.websocketUrl,
    httpdomain: region.httpDomain,
    tcpdomain: region.tcpDomain,
    token: region.credentials?.token ?? null,
    status: regionDigits[region.status],
    desc: region.description,
    scope: region.scope.toLowerCase(),
  }),
};

const figures = [
  ['used_disk', 'usedDiskGiB'],
  ['total_disk', 'totalDiskGiB'],
  ['used_memory', 'usedMemoryMiB'],
  ['total_memory', 'totalMemoryMiB'],
  ['used_cpu', 'usedCpuCores'],
  ['total_cpu', 'totalCpuCores'],
] as const;

/** The data of a region. A node without `usage` is one whose cluster was not asked, or did not answer. */
export const regionData: Model = {
  selection: regionSelection,
  of: (region) => ({
    region_name: region.name,
    region_alias: region.alias,
    url: region.url,
    wsurl: region.websocketUrl,
    httpdomain: region.httpDomain,
    tcpdomain: region.tcpDomain,
    scope: region.scope.toLowerCase(),
    ssl_ca_cert: region.credentials?.caCertificate ?? '',
    cert_file: region.credentials?.clientCertificate ?? '',
    key_file: region.credentials?.clientKey ?? '',
    desc: region.description,
    ...Object.fromEntries(figures.map(([name, field]) => [name, region.usage?.[field] ?? 0])),
    health_status: lower(region.health ?? 'OK'),
    status: regionDigits[region.status],
  }),
};
export const regionFigures = `health usage { ${figures.map(([, field]) => field).join(' ')} }`;

export const applicationInfo: Model = {
  selection: `appId: uid team { uid } name region { name } isDefault orderIndex note principal governanceMode
    createdAt updatedAt appType storeName storeUrl templateName version logo clusterName`,
  of: (application) => ({
    ID: application.appId,
    tenant_id: application.team.uid,
    group_name: application.name,
    region_name: application.region.name,
    is_default: application.isDefault,
    order_index: application.orderIndex,
    note: application.note,
    username: application.principal,
    governance_mode: application.governanceMode,
    create_time: application.createdAt,
    update_time: application.updatedAt,
    app_type: application.appType,
    app_store_name: application.storeName,
    app_store_url: application.storeUrl,
    app_template_name: application.templateName,
    version: application.version,
    logo: application.logo,
    cluster_app: application.clusterName,
  }),
};

/** The states that have another name in the contract. */
const statuses: Record<string, string> = {
  STOPPED: 'closed',
  UNHEALTHY: 'abnormal',
  PARTLY_UNHEALTHY: 'some_abnormal',
  UPGRADING: 'upgrade',
  BUILD_FAILED: 'build_failure',
  NOT_DEPLOYED: 'undeploy',
};

export const componentInfo: Model = {
  selection: `state accessUrls uid team { uid } key alias name region { name } description category version
    releaseCount image command replicas cpuMillicores gpuMemoryMiB memoryMiB extendMethod kind creator { uid }
    totalMemoryMiB isInner origin group { uid } opensWebhooks createStatus isUpgradable isUpgradedAfterBuild
    clusterName source { kind codeFrom gitUrl gitProjectId codeVersion language serverType oauthServiceId
      checkUuid checkEventId containerCommand }`,
  of: ({ source, ...component }) => ({
    // A cluster that does not answer costs the status alone.
    status: statuses[component.state] ?? lower(component.state) ?? 'unknown',
    access_infos: component.accessUrls,
    service_id: component.uid,
    tenant_id: component.team.uid,
    service_key: component.key,
    service_alias: component.alias,
    service_cname: component.name,
    service_region: component.region.name,
    desc: component.description,
    category: lower(component.category),
    version: component.version,
    update_version: component.releaseCount,
    image: component.image,
    cmd: component.command,
    min_node: component.replicas,
    min_cpu: component.cpuMillicores,
    container_gpu: component.gpuMemoryMiB,
    min_memory: component.memoryMiB,
    extend_method: lower(component.extendMethod),
    code_from: source.codeFrom,
    git_url: source.gitUrl,
    git_project_id: source.gitProjectId,
    code_version: source.codeVersion,
    service_type: component.kind,
    creater: component.creator?.uid ?? 0,
    language: source.language,
    total_memory: component.totalMemoryMiB,
    is_service: component.isInner,
    service_origin: component.origin,
    tenant_service_group_id: component.group?.uid ?? 0,
    open_webhooks: component.opensWebhooks,
    service_source: source.kind?.toLowerCase() ?? null,
    create_status: component.createStatus,
    check_uuid: source.checkUuid,
    check_event_id: source.checkEventId,
    container_cmd: source.containerCommand,
    server_type: source.serverType,
    is_upgrate: component.isUpgradable,
    build_upgrade: component.isUpgradedAfterBuild,
    oauth_service_id: source.oauthServiceId,
    cluster_component_name: component.clusterName,
  }),
};

export const portInfo: Model = {
  selection: 'number protocol alias isInner isOuter serviceName',
  of: (port) => ({
    container_port: port.number,
    protocol: lower(port.protocol),
    port_alias: port.alias,
    is_inner_service: port.isInner,
    is_outer_service: port.isOuter,
    cluster_service_name: port.serviceName,
  }),
};

const ruleSelection =
  'uid key region { uid } component { uid name alias team { uid } } port { number protocol } isDefault isPublished';
const rulePlace = (rule: any) => ({
  region_id: rule.region.uid,
  tenant_id: rule.component.team.uid,
  service_id: rule.component.uid,
  service_name: rule.component.name,
  service_alias: rule.component.alias,
  container_port: rule.port.number,
  type: rule.isDefault ? 0 : 1,
  is_outer_service: rule.isPublished,
});

const httpRule: Model = {
  selection: `${ruleSelection} domain domainKind path domainCookie domainHeader weight hasConditions autoSsl
    autoSslConfig pathRewrite rewriteRules { regex replacement flag } scheme extensions certificate { uid }`,
  of: (rule) => ({
    ID: rule.uid,
    http_rule_id: rule.key,
    ...rulePlace(rule),
    protocol: lower(rule.scheme),
    rule_extensions: rule.extensions,
    domain_name: rule.domain,
    certificate_id: rule.certificate?.uid ?? 0,
    domain_type: lower(rule.domainKind),
    is_senior: rule.hasConditions,
    domain_path: rule.path,
    domain_cookie: rule.domainCookie,
    domain_heander: rule.domainHeader,
    the_weight: rule.weight,
    auto_ssl: rule.autoSsl,
    auto_ssl_config: rule.autoSslConfig,
    path_rewrite: rule.pathRewrite,
    rewrites: JSON.stringify(
      rule.rewriteRules.map(({ flag, ...rewrite }: any) => ({ ...rewrite, ...(flag !== null && { flag }) })),
    ),
  }),
};

const tcpRule: Model = {
  selection: `${ruleSelection} endpoint extensions { key value }`,
  of: (rule) => ({
    ID: rule.uid,
    tcp_rule_id: rule.key,
    ...rulePlace(rule),
    protocol: lower(rule.port.protocol),
    end_point: rule.endpoint,
    rule_extensions: rule.extensions.map((each: any) => `${each.key}:${each.value}`).join(','),
  }),
};

/** The rules of an application, a component or a port. */
export const rules: Model = {
  selection: `http(first: 100) { nodes { ${httpRule.selection} } }
    tcp(first: 100) { nodes { ${tcpRule.selection} } }`,
  of: ({ http, tcp }) => ({ http: http.nodes.map(httpRule.of), tcp: tcp.nodes.map(tcpRule.of) }),
};

export const teamResources: Model = {
  selection: `totalCpuMillicores totalMemoryMiB usedCpuMillicores usedMemoryMiB usedCpuPercentage
    usedMemoryPercentage team { uid name alias }`,
  of: ({ team, ...resources }) => ({
    total_cpu: resources.totalCpuMillicores,
    total_memory: resources.totalMemoryMiB,
    used_cpu: resources.usedCpuMillicores,
    used_memory: resources.usedMemoryMiB,
    used_cpu_percentage: resources.usedCpuPercentage,
    used_memory_percentage: resources.usedMemoryPercentage,
    team_id: team.uid,
    team_name: team.name,
    team_alias: team.alias,
  }),
};

export const userInfo: Model = {
  selection: 'uid email nickName phone isActive origin createdAt clientIp enterprise { uid }',
  of: (user) => ({
    user_id: user.uid,
    email: user.email,
    nick_name: user.nickName,
    phone: user.phone,
    is_active: user.isActive,
    origion: user.origin,
    create_time: user.createdAt.replace(/^(\S+)T([\d:]+).*$/, '$1 $2'),
    client_ip: user.clientIp,
    enterprise_id: user.enterprise.uid,
  }),
};

/** An entry of the upgrade report: the node carries the id of the enterprise as `enterpriseId`. */
export const upgradeInfo: Model = {
  selection: 'storeName templateId templateName currentVersion canUpgrade upgradeVersions source',
  of: (upgrade) => ({
    market_name: upgrade.storeName,
    app_model_id: upgrade.templateId,
    app_model_name: upgrade.templateName,
    current_version: upgrade.currentVersion,
    enterprise_id: upgrade.enterpriseId,
    can_upgrade: upgrade.canUpgrade,
    upgrade_versions: upgrade.upgradeVersions ?? [],
    source: upgrade.source,
  }),
};
