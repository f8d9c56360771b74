-- CreateTable
CREATE TABLE "enterprise" (
    "id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "alias" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "enterprise_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "user_account" (
    "id" SERIAL NOT NULL,
    "enterprise_id" TEXT COLLATE "C" NOT NULL,
    "email" TEXT COLLATE "C" NOT NULL,
    "nick_name" TEXT COLLATE "C" NOT NULL,
    "phone" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "is_administrator" BOOLEAN NOT NULL DEFAULT false,
    "origin" TEXT COLLATE "C",
    "client_ip" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "created_at" TIMESTAMP(3) NOT NULL,
    "folded" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "user_account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "access_token" (
    "id" TEXT COLLATE "C" NOT NULL,
    "user_id" INTEGER NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "hash" TEXT COLLATE "C" NOT NULL,
    "is_read_only" BOOLEAN NOT NULL DEFAULT false,
    "expires_at" TIMESTAMP(3),
    "revoked_at" TIMESTAMP(3),
    "last_used_at" TIMESTAMP(3),
    "created_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "access_token_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "team" (
    "id" TEXT COLLATE "C" NOT NULL,
    "enterprise_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "alias" TEXT COLLATE "C" NOT NULL,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "creator_id" INTEGER,
    "created_at" TIMESTAMP(3) NOT NULL,
    "folded" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "team_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "membership" (
    "id" TEXT COLLATE "C" NOT NULL,
    "team_id" TEXT COLLATE "C" NOT NULL,
    "user_id" INTEGER NOT NULL,
    "role" TEXT COLLATE "C" NOT NULL,
    "joined_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "membership_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "region" (
    "id" TEXT COLLATE "C" NOT NULL,
    "enterprise_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "alias" TEXT COLLATE "C" NOT NULL,
    "url" TEXT COLLATE "C" NOT NULL,
    "websocket_url" TEXT COLLATE "C" NOT NULL,
    "http_domain" TEXT COLLATE "C" NOT NULL,
    "tcp_domain" TEXT COLLATE "C" NOT NULL,
    "status" TEXT COLLATE "C" NOT NULL,
    "description" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "scope" TEXT COLLATE "C" NOT NULL DEFAULT 'private',
    "driver" TEXT COLLATE "C" NOT NULL DEFAULT 'declared',
    "cpu_cores" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "memory_mib" INTEGER NOT NULL DEFAULT 0,
    "disk_gib" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "sealed_token" TEXT COLLATE "C",
    "sealed_ca_certificate" TEXT COLLATE "C",
    "sealed_client_certificate" TEXT COLLATE "C",
    "sealed_client_key" TEXT COLLATE "C",
    "created_at" TIMESTAMP(3) NOT NULL,
    "folded" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "region_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "team_region" (
    "team_id" TEXT COLLATE "C" NOT NULL,
    "region_id" TEXT COLLATE "C" NOT NULL,
    "cpu_quota_millicores" INTEGER NOT NULL DEFAULT 0,
    "memory_quota_mib" INTEGER NOT NULL DEFAULT 0,
    "opened_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "team_region_pkey" PRIMARY KEY ("team_id","region_id")
);

-- CreateTable
CREATE TABLE "application" (
    "id" SERIAL NOT NULL,
    "team_id" TEXT COLLATE "C" NOT NULL,
    "region_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "is_default" BOOLEAN NOT NULL DEFAULT false,
    "order_index" INTEGER NOT NULL DEFAULT 0,
    "note" TEXT COLLATE "C",
    "principal" TEXT COLLATE "C",
    "governance_mode" TEXT COLLATE "C",
    "app_type" TEXT COLLATE "C" NOT NULL DEFAULT 'platform',
    "store_name" TEXT COLLATE "C",
    "store_url" TEXT COLLATE "C",
    "template_name" TEXT COLLATE "C",
    "version" TEXT COLLATE "C",
    "logo" TEXT COLLATE "C",
    "cluster_name" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,
    "folded" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "application_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "component_group" (
    "id" SERIAL NOT NULL,
    "application_id" INTEGER NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "template_id" TEXT COLLATE "C",
    "template_version" TEXT COLLATE "C",
    "created_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "component_group_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "component" (
    "id" TEXT COLLATE "C" NOT NULL,
    "application_id" INTEGER NOT NULL,
    "team_id" TEXT COLLATE "C" NOT NULL,
    "region_id" TEXT COLLATE "C" NOT NULL,
    "group_id" INTEGER,
    "creator_id" INTEGER,
    "key" TEXT COLLATE "C" NOT NULL,
    "alias" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "cluster_name" TEXT COLLATE "C" NOT NULL,
    "service_name" TEXT COLLATE "C",
    "deploy_state" TEXT COLLATE "C" NOT NULL DEFAULT 'undeploy',
    "description" TEXT COLLATE "C",
    "category" TEXT COLLATE "C" NOT NULL DEFAULT 'application',
    "version" TEXT COLLATE "C" NOT NULL,
    "update_version" INTEGER NOT NULL DEFAULT 1,
    "image" TEXT COLLATE "C" NOT NULL,
    "command" TEXT COLLATE "C",
    "replicas" INTEGER NOT NULL DEFAULT 1,
    "cpu_millicores" INTEGER NOT NULL DEFAULT 500,
    "gpu_memory_mib" INTEGER NOT NULL DEFAULT 0,
    "memory_mib" INTEGER NOT NULL DEFAULT 512,
    "extend_method" TEXT COLLATE "C" NOT NULL DEFAULT 'stateless',
    "source_kind" TEXT COLLATE "C",
    "code_from" TEXT COLLATE "C",
    "git_url" TEXT COLLATE "C",
    "git_project_id" INTEGER NOT NULL DEFAULT 0,
    "code_version" TEXT COLLATE "C",
    "language" TEXT COLLATE "C",
    "server_type" TEXT COLLATE "C" NOT NULL DEFAULT 'git',
    "oauth_service_id" INTEGER,
    "check_uuid" TEXT COLLATE "C",
    "check_event_id" TEXT COLLATE "C",
    "container_command" TEXT COLLATE "C",
    "open_webhooks" BOOLEAN NOT NULL DEFAULT false,
    "component_type" TEXT COLLATE "C",
    "is_inner" BOOLEAN NOT NULL DEFAULT false,
    "origin" TEXT COLLATE "C" NOT NULL DEFAULT 'assistant',
    "create_status" TEXT COLLATE "C",
    "is_upgradable" BOOLEAN NOT NULL DEFAULT false,
    "build_upgrade" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,
    "folded" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "component_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "port" (
    "id" SERIAL NOT NULL,
    "component_id" TEXT COLLATE "C" NOT NULL,
    "number" INTEGER NOT NULL,
    "protocol" TEXT COLLATE "C" NOT NULL,
    "alias" TEXT COLLATE "C" NOT NULL,
    "is_inner" BOOLEAN NOT NULL DEFAULT false,
    "is_outer" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "port_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "environment_variable" (
    "id" SERIAL NOT NULL,
    "component_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "label" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "value" TEXT COLLATE "C" NOT NULL,
    "scope" TEXT COLLATE "C" NOT NULL,
    "is_changeable" BOOLEAN NOT NULL DEFAULT true,
    "port_number" INTEGER,

    CONSTRAINT "environment_variable_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "volume" (
    "id" SERIAL NOT NULL,
    "component_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "path" TEXT COLLATE "C" NOT NULL,
    "type" TEXT COLLATE "C" NOT NULL,
    "file_content" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "capacity_gib" INTEGER,
    "access_mode" TEXT COLLATE "C",
    "share_policy" TEXT COLLATE "C",

    CONSTRAINT "volume_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "component_dependency" (
    "component_id" TEXT COLLATE "C" NOT NULL,
    "dependency_id" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "component_dependency_pkey" PRIMARY KEY ("component_id","dependency_id")
);

-- CreateTable
CREATE TABLE "certificate" (
    "id" SERIAL NOT NULL,
    "team_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "chain" TEXT COLLATE "C" NOT NULL,
    "sealed_key" TEXT COLLATE "C" NOT NULL,
    "names" TEXT COLLATE "C" NOT NULL,
    "issuer" TEXT COLLATE "C" NOT NULL,
    "expires_at" TIMESTAMP(3) NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "certificate_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "domain" (
    "region_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "team_id" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "domain_pkey" PRIMARY KEY ("region_id","name")
);

-- CreateTable
CREATE TABLE "http_rule" (
    "id" SERIAL NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "region_id" TEXT COLLATE "C" NOT NULL,
    "application_id" INTEGER NOT NULL,
    "component_id" TEXT COLLATE "C" NOT NULL,
    "port_id" INTEGER NOT NULL,
    "certificate_id" INTEGER,
    "domain" TEXT COLLATE "C" NOT NULL,
    "path" TEXT COLLATE "C" NOT NULL DEFAULT '/',
    "cookie" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "header" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "weight" INTEGER NOT NULL DEFAULT 100,
    "is_default" BOOLEAN NOT NULL,
    "is_published" BOOLEAN NOT NULL,
    "auto_ssl" BOOLEAN NOT NULL DEFAULT false,
    "auto_ssl_config" TEXT COLLATE "C" NOT NULL DEFAULT '',
    "path_rewrite" BOOLEAN NOT NULL DEFAULT false,
    "rewrites" TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    "extensions" TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    "configuration" TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "http_rule_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tcp_rule" (
    "id" SERIAL NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "region_id" TEXT COLLATE "C" NOT NULL,
    "application_id" INTEGER NOT NULL,
    "component_id" TEXT COLLATE "C" NOT NULL,
    "port_id" INTEGER NOT NULL,
    "address" TEXT COLLATE "C" NOT NULL,
    "port_number" INTEGER NOT NULL,
    "is_default" BOOLEAN NOT NULL,
    "is_published" BOOLEAN NOT NULL,
    "extensions" TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "tcp_rule_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event" (
    "id" SERIAL NOT NULL,
    "enterprise_id" TEXT COLLATE "C" NOT NULL,
    "team_id" TEXT COLLATE "C",
    "at" TIMESTAMP(3) NOT NULL,
    "user_id" INTEGER,
    "token_id" TEXT COLLATE "C",
    "request_id" TEXT COLLATE "C" NOT NULL,
    "action" TEXT COLLATE "C" NOT NULL,
    "subject_type" TEXT COLLATE "C" NOT NULL,
    "subject_id" TEXT COLLATE "C" NOT NULL,
    "changes" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "event_pkey" PRIMARY KEY ("id")
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

-- AddForeignKey
ALTER TABLE "user_account" ADD CONSTRAINT "user_account_enterprise_id_fkey" FOREIGN KEY ("enterprise_id") REFERENCES "enterprise"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "access_token" ADD CONSTRAINT "access_token_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "team" ADD CONSTRAINT "team_enterprise_id_fkey" FOREIGN KEY ("enterprise_id") REFERENCES "enterprise"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "team" ADD CONSTRAINT "team_creator_id_fkey" FOREIGN KEY ("creator_id") REFERENCES "user_account"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "membership" ADD CONSTRAINT "membership_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "membership" ADD CONSTRAINT "membership_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "region" ADD CONSTRAINT "region_enterprise_id_fkey" FOREIGN KEY ("enterprise_id") REFERENCES "enterprise"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "team_region" ADD CONSTRAINT "team_region_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "team_region" ADD CONSTRAINT "team_region_region_id_fkey" FOREIGN KEY ("region_id") REFERENCES "region"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "application" ADD CONSTRAINT "application_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "application" ADD CONSTRAINT "application_region_id_fkey" FOREIGN KEY ("region_id") REFERENCES "region"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "component_group" ADD CONSTRAINT "component_group_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "application"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "component" ADD CONSTRAINT "component_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "application"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "component" ADD CONSTRAINT "component_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "component" ADD CONSTRAINT "component_region_id_fkey" FOREIGN KEY ("region_id") REFERENCES "region"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "component" ADD CONSTRAINT "component_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "component_group"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "component" ADD CONSTRAINT "component_creator_id_fkey" FOREIGN KEY ("creator_id") REFERENCES "user_account"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "port" ADD CONSTRAINT "port_component_id_fkey" FOREIGN KEY ("component_id") REFERENCES "component"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "environment_variable" ADD CONSTRAINT "environment_variable_component_id_fkey" FOREIGN KEY ("component_id") REFERENCES "component"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "volume" ADD CONSTRAINT "volume_component_id_fkey" FOREIGN KEY ("component_id") REFERENCES "component"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "component_dependency" ADD CONSTRAINT "component_dependency_component_id_fkey" FOREIGN KEY ("component_id") REFERENCES "component"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "component_dependency" ADD CONSTRAINT "component_dependency_dependency_id_fkey" FOREIGN KEY ("dependency_id") REFERENCES "component"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "certificate" ADD CONSTRAINT "certificate_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "domain" ADD CONSTRAINT "domain_region_id_fkey" FOREIGN KEY ("region_id") REFERENCES "region"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "domain" ADD CONSTRAINT "domain_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "team"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "http_rule" ADD CONSTRAINT "http_rule_region_id_fkey" FOREIGN KEY ("region_id") REFERENCES "region"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "http_rule" ADD CONSTRAINT "http_rule_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "application"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "http_rule" ADD CONSTRAINT "http_rule_component_id_fkey" FOREIGN KEY ("component_id") REFERENCES "component"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "http_rule" ADD CONSTRAINT "http_rule_port_id_fkey" FOREIGN KEY ("port_id") REFERENCES "port"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "http_rule" ADD CONSTRAINT "http_rule_certificate_id_fkey" FOREIGN KEY ("certificate_id") REFERENCES "certificate"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tcp_rule" ADD CONSTRAINT "tcp_rule_region_id_fkey" FOREIGN KEY ("region_id") REFERENCES "region"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tcp_rule" ADD CONSTRAINT "tcp_rule_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "application"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tcp_rule" ADD CONSTRAINT "tcp_rule_component_id_fkey" FOREIGN KEY ("component_id") REFERENCES "component"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tcp_rule" ADD CONSTRAINT "tcp_rule_port_id_fkey" FOREIGN KEY ("port_id") REFERENCES "port"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- CreateFunction
CREATE FUNCTION "refuse_event_change"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'events are only ever added';
END;
$$;

-- CreateTrigger
CREATE TRIGGER "event_no_change" BEFORE UPDATE OR DELETE ON "event"
FOR EACH ROW EXECUTE FUNCTION "refuse_event_change"();
