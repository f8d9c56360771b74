-- CreateTable
CREATE TABLE "enterprise" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "alias" TEXT NOT NULL,
    "created_at" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "user_account" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "enterprise_id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "nick_name" TEXT NOT NULL,
    "phone" TEXT NOT NULL DEFAULT '',
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "is_administrator" BOOLEAN NOT NULL DEFAULT false,
    "origin" TEXT,
    "client_ip" TEXT NOT NULL DEFAULT '',
    "created_at" DATETIME NOT NULL,
    "folded" TEXT NOT NULL,
    CONSTRAINT "user_account_enterprise_id_fkey" FOREIGN KEY ("enterprise_id") REFERENCES "enterprise" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "access_token" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "user_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "is_read_only" BOOLEAN NOT NULL DEFAULT false,
    "expires_at" DATETIME,
    "revoked_at" DATETIME,
    "last_used_at" DATETIME,
    "created_at" DATETIME NOT NULL,
    CONSTRAINT "access_token_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "team" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "enterprise_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "alias" TEXT NOT NULL,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "creator_id" INTEGER,
    "created_at" DATETIME NOT NULL,
    "folded" TEXT NOT NULL,
    CONSTRAINT "team_enterprise_id_fkey" FOREIGN KEY ("enterprise_id") REFERENCES "enterprise" ("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "team_creator_id_fkey" FOREIGN KEY ("creator_id") REFERENCES "user_account" ("id") ON DELETE SET NULL ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "membership" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "team_id" TEXT NOT NULL,
    "user_id" INTEGER NOT NULL,
    "role" TEXT NOT NULL,
    "joined_at" DATETIME NOT NULL,
    CONSTRAINT "membership_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "membership_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "region" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "enterprise_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "alias" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "websocket_url" TEXT NOT NULL,
    "http_domain" TEXT NOT NULL,
    "tcp_domain" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "scope" TEXT NOT NULL DEFAULT 'private',
    "driver" TEXT NOT NULL DEFAULT 'declared',
    "cpu_cores" REAL NOT NULL DEFAULT 0,
    "memory_mib" INTEGER NOT NULL DEFAULT 0,
    "disk_gib" REAL NOT NULL DEFAULT 0,
    "sealed_token" TEXT,
    "sealed_ca_certificate" TEXT,
    "sealed_client_certificate" TEXT,
    "sealed_client_key" TEXT,
    "created_at" DATETIME NOT NULL,
    "folded" TEXT NOT NULL,
    CONSTRAINT "region_enterprise_id_fkey" FOREIGN KEY ("enterprise_id") REFERENCES "enterprise" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "team_region" (
    "team_id" TEXT NOT NULL,
    "region_id" TEXT NOT NULL,
    "cpu_quota_millicores" INTEGER NOT NULL DEFAULT 0,
    "memory_quota_mib" INTEGER NOT NULL DEFAULT 0,
    "opened_at" DATETIME NOT NULL,

    PRIMARY KEY ("team_id", "region_id"),
    CONSTRAINT "team_region_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "team_region_region_id_fkey" FOREIGN KEY ("region_id") REFERENCES "region" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "application" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "team_id" TEXT NOT NULL,
    "region_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "is_default" BOOLEAN NOT NULL DEFAULT false,
    "order_index" INTEGER NOT NULL DEFAULT 0,
    "note" TEXT,
    "principal" TEXT,
    "governance_mode" TEXT,
    "app_type" TEXT NOT NULL DEFAULT 'platform',
    "store_name" TEXT,
    "store_url" TEXT,
    "template_name" TEXT,
    "version" TEXT,
    "logo" TEXT,
    "cluster_name" TEXT NOT NULL DEFAULT '',
    "created_at" DATETIME NOT NULL,
    "updated_at" DATETIME NOT NULL,
    "folded" TEXT NOT NULL,
    CONSTRAINT "application_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team" ("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "application_region_id_fkey" FOREIGN KEY ("region_id") REFERENCES "region" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "component_group" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "application_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "template_id" TEXT,
    "template_version" TEXT,
    "created_at" DATETIME NOT NULL,
    CONSTRAINT "component_group_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "application" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "component" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "application_id" INTEGER NOT NULL,
    "team_id" TEXT NOT NULL,
    "region_id" TEXT NOT NULL,
    "group_id" INTEGER,
    "creator_id" INTEGER,
    "key" TEXT NOT NULL,
    "alias" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "cluster_name" TEXT NOT NULL,
    "service_name" TEXT,
    "deploy_state" TEXT NOT NULL DEFAULT 'undeploy',
    "description" TEXT,
    "category" TEXT NOT NULL DEFAULT 'application',
    "version" TEXT NOT NULL,
    "update_version" INTEGER NOT NULL DEFAULT 1,
    "image" TEXT NOT NULL,
    "command" TEXT,
    "replicas" INTEGER NOT NULL DEFAULT 1,
    "cpu_millicores" INTEGER NOT NULL DEFAULT 500,
    "gpu_memory_mib" INTEGER NOT NULL DEFAULT 0,
    "memory_mib" INTEGER NOT NULL DEFAULT 512,
    "extend_method" TEXT NOT NULL DEFAULT 'stateless',
    "source_kind" TEXT,
    "code_from" TEXT,
    "git_url" TEXT,
    "git_project_id" INTEGER NOT NULL DEFAULT 0,
    "code_version" TEXT,
    "language" TEXT,
    "server_type" TEXT NOT NULL DEFAULT 'git',
    "oauth_service_id" INTEGER,
    "check_uuid" TEXT,
    "check_event_id" TEXT,
    "container_command" TEXT,
    "open_webhooks" BOOLEAN NOT NULL DEFAULT false,
    "component_type" TEXT,
    "is_inner" BOOLEAN NOT NULL DEFAULT false,
    "origin" TEXT NOT NULL DEFAULT 'assistant',
    "create_status" TEXT,
    "is_upgradable" BOOLEAN NOT NULL DEFAULT false,
    "build_upgrade" BOOLEAN NOT NULL DEFAULT true,
    "created_at" DATETIME NOT NULL,
    "updated_at" DATETIME NOT NULL,
    "folded" TEXT NOT NULL,
    CONSTRAINT "component_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "application" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "component_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team" ("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "component_region_id_fkey" FOREIGN KEY ("region_id") REFERENCES "region" ("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "component_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "component_group" ("id") ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT "component_creator_id_fkey" FOREIGN KEY ("creator_id") REFERENCES "user_account" ("id") ON DELETE SET NULL ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "port" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "component_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "protocol" TEXT NOT NULL,
    "alias" TEXT NOT NULL,
    "is_inner" BOOLEAN NOT NULL DEFAULT false,
    "is_outer" BOOLEAN NOT NULL DEFAULT false,
    "created_at" DATETIME NOT NULL,
    CONSTRAINT "port_component_id_fkey" FOREIGN KEY ("component_id") REFERENCES "component" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "environment_variable" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "component_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "label" TEXT NOT NULL DEFAULT '',
    "value" TEXT NOT NULL,
    "scope" TEXT NOT NULL,
    "is_changeable" BOOLEAN NOT NULL DEFAULT true,
    "port_number" INTEGER,
    CONSTRAINT "environment_variable_component_id_fkey" FOREIGN KEY ("component_id") REFERENCES "component" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "volume" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "component_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "file_content" TEXT NOT NULL DEFAULT '',
    "capacity_gib" INTEGER,
    "access_mode" TEXT,
    "share_policy" TEXT,
    CONSTRAINT "volume_component_id_fkey" FOREIGN KEY ("component_id") REFERENCES "component" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "component_dependency" (
    "component_id" TEXT NOT NULL,
    "dependency_id" TEXT NOT NULL,

    PRIMARY KEY ("component_id", "dependency_id"),
    CONSTRAINT "component_dependency_component_id_fkey" FOREIGN KEY ("component_id") REFERENCES "component" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "component_dependency_dependency_id_fkey" FOREIGN KEY ("dependency_id") REFERENCES "component" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "certificate" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "team_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "chain" TEXT NOT NULL,
    "sealed_key" TEXT NOT NULL,
    "names" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "expires_at" DATETIME NOT NULL,
    "created_at" DATETIME NOT NULL,
    CONSTRAINT "certificate_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "domain" (
    "region_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "team_id" TEXT NOT NULL,

    PRIMARY KEY ("region_id", "name"),
    CONSTRAINT "domain_region_id_fkey" FOREIGN KEY ("region_id") REFERENCES "region" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "domain_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "http_rule" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "key" TEXT NOT NULL,
    "region_id" TEXT NOT NULL,
    "application_id" INTEGER NOT NULL,
    "component_id" TEXT NOT NULL,
    "port_id" INTEGER NOT NULL,
    "certificate_id" INTEGER,
    "domain" TEXT NOT NULL,
    "path" TEXT NOT NULL DEFAULT '/',
    "cookie" TEXT NOT NULL DEFAULT '',
    "header" TEXT NOT NULL DEFAULT '',
    "weight" INTEGER NOT NULL DEFAULT 100,
    "is_default" BOOLEAN NOT NULL,
    "is_published" BOOLEAN NOT NULL,
    "auto_ssl" BOOLEAN NOT NULL DEFAULT false,
    "auto_ssl_config" TEXT NOT NULL DEFAULT '',
    "path_rewrite" BOOLEAN NOT NULL DEFAULT false,
    "rewrites" TEXT NOT NULL DEFAULT '[]',
    "extensions" TEXT NOT NULL DEFAULT '[]',
    "configuration" TEXT NOT NULL DEFAULT '{}',
    "created_at" DATETIME NOT NULL,
    CONSTRAINT "http_rule_region_id_fkey" FOREIGN KEY ("region_id") REFERENCES "region" ("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "http_rule_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "application" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "http_rule_component_id_fkey" FOREIGN KEY ("component_id") REFERENCES "component" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "http_rule_port_id_fkey" FOREIGN KEY ("port_id") REFERENCES "port" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "http_rule_certificate_id_fkey" FOREIGN KEY ("certificate_id") REFERENCES "certificate" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "tcp_rule" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "key" TEXT NOT NULL,
    "region_id" TEXT NOT NULL,
    "application_id" INTEGER NOT NULL,
    "component_id" TEXT NOT NULL,
    "port_id" INTEGER NOT NULL,
    "address" TEXT NOT NULL,
    "port_number" INTEGER NOT NULL,
    "is_default" BOOLEAN NOT NULL,
    "is_published" BOOLEAN NOT NULL,
    "extensions" TEXT NOT NULL DEFAULT '[]',
    "created_at" DATETIME NOT NULL,
    CONSTRAINT "tcp_rule_region_id_fkey" FOREIGN KEY ("region_id") REFERENCES "region" ("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "tcp_rule_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "application" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "tcp_rule_component_id_fkey" FOREIGN KEY ("component_id") REFERENCES "component" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "tcp_rule_port_id_fkey" FOREIGN KEY ("port_id") REFERENCES "port" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "event" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "enterprise_id" TEXT NOT NULL,
    "team_id" TEXT,
    "at" DATETIME NOT NULL,
    "user_id" INTEGER,
    "token_id" TEXT,
    "request_id" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "subject_type" TEXT NOT NULL,
    "subject_id" TEXT NOT NULL,
    "changes" TEXT NOT NULL
);

-- CreateIndex
CREATE UNIQUE INDEX "enterprise_name_key" ON "enterprise"("name");

-- CreateIndex
CREATE UNIQUE INDEX "user_account_email_key" ON "user_account"("email");

-- CreateIndex
CREATE INDEX "user_account_enterprise_id_is_administrator_id_idx" ON "user_account"("enterprise_id", "is_administrator", "id");

-- CreateIndex
CREATE UNIQUE INDEX "access_token_hash_key" ON "access_token"("hash");

-- CreateIndex
CREATE INDEX "access_token_user_id_created_at_id_idx" ON "access_token"("user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "team_name_id_idx" ON "team"("name", "id");

-- CreateIndex
CREATE INDEX "team_creator_id_idx" ON "team"("creator_id");

-- CreateIndex
CREATE UNIQUE INDEX "team_enterprise_id_name_key" ON "team"("enterprise_id", "name");

-- CreateIndex
CREATE INDEX "membership_user_id_team_id_idx" ON "membership"("user_id", "team_id");

-- CreateIndex
CREATE UNIQUE INDEX "membership_team_id_user_id_key" ON "membership"("team_id", "user_id");

-- CreateIndex
CREATE INDEX "region_name_id_idx" ON "region"("name", "id");

-- CreateIndex
CREATE UNIQUE INDEX "region_enterprise_id_name_key" ON "region"("enterprise_id", "name");

-- CreateIndex
CREATE INDEX "team_region_region_id_team_id_idx" ON "team_region"("region_id", "team_id");

-- CreateIndex
CREATE INDEX "application_team_id_order_index_name_id_idx" ON "application"("team_id", "order_index", "name", "id");

-- CreateIndex
CREATE INDEX "application_team_id_name_id_idx" ON "application"("team_id", "name", "id");

-- CreateIndex
CREATE INDEX "application_team_id_created_at_id_idx" ON "application"("team_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "application_region_id_idx" ON "application"("region_id");

-- CreateIndex
CREATE UNIQUE INDEX "application_team_id_region_id_name_key" ON "application"("team_id", "region_id", "name");

-- CreateIndex
CREATE INDEX "component_group_application_id_id_idx" ON "component_group"("application_id", "id");

-- CreateIndex
CREATE INDEX "component_application_id_name_id_idx" ON "component"("application_id", "name", "id");

-- CreateIndex
CREATE INDEX "component_application_id_created_at_id_idx" ON "component"("application_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "component_group_id_idx" ON "component"("group_id");

-- CreateIndex
CREATE INDEX "component_creator_id_idx" ON "component"("creator_id");

-- CreateIndex
CREATE INDEX "component_region_id_deploy_state_idx" ON "component"("region_id", "deploy_state");

-- CreateIndex
CREATE UNIQUE INDEX "component_team_id_region_id_alias_key" ON "component"("team_id", "region_id", "alias");

-- CreateIndex
CREATE UNIQUE INDEX "component_team_id_region_id_service_name_key" ON "component"("team_id", "region_id", "service_name");

-- CreateIndex
CREATE UNIQUE INDEX "port_component_id_number_key" ON "port"("component_id", "number");

-- CreateIndex
CREATE UNIQUE INDEX "port_component_id_alias_key" ON "port"("component_id", "alias");

-- CreateIndex
CREATE INDEX "environment_variable_component_id_name_id_idx" ON "environment_variable"("component_id", "name", "id");

-- CreateIndex
CREATE UNIQUE INDEX "environment_variable_component_id_scope_name_key" ON "environment_variable"("component_id", "scope", "name");

-- CreateIndex
CREATE UNIQUE INDEX "volume_component_id_name_key" ON "volume"("component_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "volume_component_id_path_key" ON "volume"("component_id", "path");

-- CreateIndex
CREATE INDEX "component_dependency_dependency_id_component_id_idx" ON "component_dependency"("dependency_id", "component_id");

-- CreateIndex
CREATE UNIQUE INDEX "certificate_team_id_name_key" ON "certificate"("team_id", "name");

-- CreateIndex
CREATE INDEX "domain_team_id_idx" ON "domain"("team_id");

-- CreateIndex
CREATE UNIQUE INDEX "http_rule_key_key" ON "http_rule"("key");

-- CreateIndex
CREATE INDEX "http_rule_application_id_id_idx" ON "http_rule"("application_id", "id");

-- CreateIndex
CREATE INDEX "http_rule_component_id_id_idx" ON "http_rule"("component_id", "id");

-- CreateIndex
CREATE INDEX "http_rule_region_id_domain_idx" ON "http_rule"("region_id", "domain");

-- CreateIndex
CREATE INDEX "http_rule_certificate_id_idx" ON "http_rule"("certificate_id");

-- CreateIndex
CREATE UNIQUE INDEX "http_rule_port_id_domain_path_key" ON "http_rule"("port_id", "domain", "path");

-- CreateIndex
CREATE UNIQUE INDEX "tcp_rule_key_key" ON "tcp_rule"("key");

-- CreateIndex
CREATE INDEX "tcp_rule_application_id_id_idx" ON "tcp_rule"("application_id", "id");

-- CreateIndex
CREATE INDEX "tcp_rule_component_id_id_idx" ON "tcp_rule"("component_id", "id");

-- CreateIndex
CREATE INDEX "tcp_rule_port_id_idx" ON "tcp_rule"("port_id");

-- CreateIndex
CREATE UNIQUE INDEX "tcp_rule_region_id_address_port_number_key" ON "tcp_rule"("region_id", "address", "port_number");

-- CreateIndex
CREATE INDEX "event_enterprise_id_id_idx" ON "event"("enterprise_id", "id");

-- CreateIndex
CREATE INDEX "event_enterprise_id_action_id_idx" ON "event"("enterprise_id", "action", "id");

-- CreateIndex
CREATE INDEX "event_enterprise_id_subject_type_subject_id_id_idx" ON "event"("enterprise_id", "subject_type", "subject_id", "id");

-- CreateIndex
CREATE INDEX "event_enterprise_id_at_id_idx" ON "event"("enterprise_id", "at", "id");

-- CreateIndex
CREATE INDEX "event_team_id_id_idx" ON "event"("team_id", "id");

-- CreateIndex
CREATE INDEX "event_team_id_action_id_idx" ON "event"("team_id", "action", "id");

-- CreateTrigger
CREATE TRIGGER "event_no_update" BEFORE UPDATE ON "event"
BEGIN
    SELECT RAISE(ABORT, 'events are only ever added');
END;

-- CreateTrigger
CREATE TRIGGER "event_no_delete" BEFORE DELETE ON "event"
BEGIN
    SELECT RAISE(ABORT, 'events are only ever added');
END;
