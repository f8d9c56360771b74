-- DropIndex
DROP INDEX "component_region_id_deploy_state_idx";

-- CreateIndex
CREATE INDEX "component_requests_by_region" ON "component"("region_id", "deploy_state", "max_replicas", "replicas", "cpu_millicores", "memory_mib");

-- CreateIndex
CREATE INDEX "component_requests_by_team" ON "component"("team_id", "region_id", "deploy_state", "max_replicas", "replicas", "cpu_millicores", "memory_mib");
