-- DropIndex
DROP INDEX "application_team_id_order_index_name_id_idx";

-- DropIndex
DROP INDEX "component_team_id_name_id_idx";

-- CreateIndex
CREATE INDEX "application_team_id_order_index_name_id_folded_idx" ON "application"("team_id", "order_index", "name", "id", "folded");

-- CreateIndex
CREATE INDEX "component_team_id_name_id_folded_idx" ON "component"("team_id", "name", "id", "folded");
