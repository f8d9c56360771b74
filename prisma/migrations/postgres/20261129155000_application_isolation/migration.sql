-- AlterTable
ALTER TABLE "application" ADD COLUMN     "isolation" TEXT COLLATE "C" NOT NULL DEFAULT 'team';

-- AlterTable
ALTER TABLE "component" ADD COLUMN     "namespace_id" INTEGER NOT NULL DEFAULT 0;

-- DropIndex
DROP INDEX "component_team_id_region_id_service_name_key";

-- DropIndex
DROP INDEX "component_team_id_region_id_owned_cluster_name_key";

-- CreateIndex
CREATE UNIQUE INDEX "component_team_id_region_id_namespace_id_service_name_key" ON "component"("team_id", "region_id", "namespace_id", "service_name");

-- CreateIndex
CREATE UNIQUE INDEX "component_team_id_region_id_namespace_id_owned_cluster_name_key" ON "component"("team_id", "region_id", "namespace_id", "owned_cluster_name");
