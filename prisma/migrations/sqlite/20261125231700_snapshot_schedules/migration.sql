-- CreateTable
CREATE TABLE "snapshot_schedule" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "volume_id" INTEGER NOT NULL,
    "cron" TEXT NOT NULL,
    "time_zone" TEXT NOT NULL,
    "keep" INTEGER NOT NULL,
    "next_run_at" DATETIME,
    "last_run_at" DATETIME,
    "last_skipped_at" DATETIME,
    "last_skip_reason" TEXT,
    "last_skip_message" TEXT,
    "pending_at" DATETIME,
    "due_at" DATETIME,
    "owner" TEXT,
    "deleting" TEXT,
    "restoring" TEXT,
    "created_at" DATETIME NOT NULL,
    CONSTRAINT "snapshot_schedule_volume_id_fkey" FOREIGN KEY ("volume_id") REFERENCES "volume" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE UNIQUE INDEX "snapshot_schedule_volume_id_key" ON "snapshot_schedule"("volume_id");

-- CreateIndex
CREATE INDEX "snapshot_schedule_next_run_at_idx" ON "snapshot_schedule"("next_run_at");

-- CreateIndex
CREATE INDEX "snapshot_schedule_due_at_idx" ON "snapshot_schedule"("due_at");
