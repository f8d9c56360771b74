-- CreateTable
CREATE TABLE "schedule" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "component_id" TEXT NOT NULL,
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
    "revision" INTEGER NOT NULL DEFAULT 1,
    CONSTRAINT "schedule_component_id_fkey" FOREIGN KEY ("component_id") REFERENCES "component" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_component_run" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "component_id" TEXT NOT NULL,
    "region_id" TEXT NOT NULL,
    "command" TEXT NOT NULL,
    "timeout_seconds" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "exit_code" INTEGER,
    "reason" TEXT,
    "user_id" INTEGER,
    "service_account_id" TEXT,
    "schedule_id" TEXT,
    "request_id" TEXT NOT NULL,
    "created_at" DATETIME NOT NULL,
    "placed_at" DATETIME,
    "started_at" DATETIME,
    "ended_at" DATETIME,
    "due_at" DATETIME,
    "owner" TEXT,
    "revision" INTEGER NOT NULL DEFAULT 1,
    CONSTRAINT "component_run_component_id_fkey" FOREIGN KEY ("component_id") REFERENCES "component" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "component_run_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account" ("id") ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT "component_run_schedule_id_fkey" FOREIGN KEY ("schedule_id") REFERENCES "schedule" ("id") ON DELETE SET NULL ON UPDATE CASCADE
);
INSERT INTO "new_component_run" ("command", "component_id", "created_at", "due_at", "ended_at", "exit_code", "id", "owner", "placed_at", "reason", "region_id", "request_id", "revision", "service_account_id", "started_at", "status", "timeout_seconds", "user_id") SELECT "command", "component_id", "created_at", "due_at", "ended_at", "exit_code", "id", "owner", "placed_at", "reason", "region_id", "request_id", "revision", "service_account_id", "started_at", "status", "timeout_seconds", "user_id" FROM "component_run";
DROP TABLE "component_run";
ALTER TABLE "new_component_run" RENAME TO "component_run";
CREATE INDEX "component_run_component_id_created_at_id_idx" ON "component_run"("component_id", "created_at", "id");
CREATE INDEX "component_run_due_at_idx" ON "component_run"("due_at");
CREATE INDEX "component_run_user_id_idx" ON "component_run"("user_id");
CREATE INDEX "component_run_schedule_id_idx" ON "component_run"("schedule_id");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;

-- CreateIndex
CREATE INDEX "schedule_component_id_created_at_id_idx" ON "schedule"("component_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "schedule_next_run_at_idx" ON "schedule"("next_run_at");
