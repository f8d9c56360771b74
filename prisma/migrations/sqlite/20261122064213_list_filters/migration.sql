-- CreateIndex
CREATE INDEX "component_application_id_deploy_state_idx" ON "component"("application_id", "deploy_state");

-- CreateIndex
CREATE INDEX "component_team_id_name_id_idx" ON "component"("team_id", "name", "id");

-- CreateIndex
CREATE INDEX "component_team_id_created_at_id_idx" ON "component"("team_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "component_group_template_id_application_id_idx" ON "component_group"("template_id", "application_id");

-- CreateIndex
CREATE INDEX "event_enterprise_id_user_id_id_idx" ON "event"("enterprise_id", "user_id", "id");

-- CreateIndex
CREATE INDEX "event_team_id_user_id_id_idx" ON "event"("team_id", "user_id", "id");
