-- DropIndex
DROP INDEX "component_team_id_name_id_folded_idx";

-- CreateIndex
CREATE INDEX "component_search" ON "component"("team_id", "name", "id", "folded", "image", "application_id");
