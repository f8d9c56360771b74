-- AlterTable
ALTER TABLE "component" ADD COLUMN     "owned_cluster_name" TEXT COLLATE "C";

-- The oldest of the components with a name owns it. The others keep the name, and are not deployed any more.
UPDATE "component" SET "owned_cluster_name" = "cluster_name" WHERE "id" IN (
  SELECT "id" FROM (
    SELECT "id", ROW_NUMBER() OVER (PARTITION BY "team_id", "region_id", "cluster_name" ORDER BY "created_at", "id") AS "age"
    FROM "component"
  ) AS "ranked" WHERE "age" = 1
);

-- CreateIndex
CREATE UNIQUE INDEX "component_team_id_region_id_owned_cluster_name_key" ON "component"("team_id", "region_id", "owned_cluster_name");
