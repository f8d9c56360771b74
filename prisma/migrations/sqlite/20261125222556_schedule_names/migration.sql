-- RedefineTables. The schedules that had no names are numbered.
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_schedule" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "component_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "cron" TEXT NOT NULL,
    "time_zone" TEXT NOT NULL,
    "command" TEXT NOT NULL,
    "concurrency" TEXT NOT NULL,
    "timeout_seconds" INTEGER NOT NULL,
    "is_paused" BOOLEAN NOT NULL DEFAULT false,
    "next_run_at" DATETIME,
    "last_skipped_at" DATETIME,
    "last_skip_reason" TEXT,
    "created_at" DATETIME NOT NULL,
    "manifest_id" INTEGER,
    "revision" INTEGER NOT NULL DEFAULT 1,
    CONSTRAINT "schedule_component_id_fkey" FOREIGN KEY ("component_id") REFERENCES "component" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "new_schedule" ("command", "component_id", "concurrency", "created_at", "cron", "id", "name", "is_paused", "last_skip_reason", "last_skipped_at", "next_run_at", "revision", "time_zone", "timeout_seconds") SELECT "command", "component_id", "concurrency", "created_at", "cron", "id", 'schedule-' || (SELECT count(*) FROM "schedule" AS "other" WHERE "other"."component_id" = "schedule"."component_id" AND ("other"."created_at", "other"."id") <= ("schedule"."created_at", "schedule"."id")), "is_paused", "last_skip_reason", "last_skipped_at", "next_run_at", "revision", "time_zone", "timeout_seconds" FROM "schedule";
DROP TABLE "schedule";
ALTER TABLE "new_schedule" RENAME TO "schedule";
CREATE INDEX "schedule_component_id_created_at_id_idx" ON "schedule"("component_id", "created_at", "id");
CREATE INDEX "schedule_next_run_at_idx" ON "schedule"("next_run_at");
CREATE UNIQUE INDEX "schedule_component_id_name_key" ON "schedule"("component_id", "name");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;
