-- AlterTable
ALTER TABLE "schedule" ADD COLUMN     "manifest_id" INTEGER,
ADD COLUMN     "name" TEXT COLLATE "C";

-- Numbers the schedules that had no names.
UPDATE "schedule" SET "name" = 'schedule-' || (SELECT count(*) FROM "schedule" AS "other" WHERE "other"."component_id" = "schedule"."component_id" AND ("other"."created_at", "other"."id") <= ("schedule"."created_at", "schedule"."id"));

-- AlterTable
ALTER TABLE "schedule" ALTER COLUMN "name" SET NOT NULL;

-- CreateIndex
CREATE UNIQUE INDEX "schedule_component_id_name_key" ON "schedule"("component_id", "name");
