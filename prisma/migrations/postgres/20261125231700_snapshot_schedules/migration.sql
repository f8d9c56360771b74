-- CreateTable
CREATE TABLE "snapshot_schedule" (
    "id" TEXT COLLATE "C" NOT NULL,
    "volume_id" INTEGER NOT NULL,
    "cron" TEXT COLLATE "C" NOT NULL,
    "time_zone" TEXT COLLATE "C" NOT NULL,
    "keep" INTEGER NOT NULL,
    "next_run_at" TIMESTAMP(3),
    "last_run_at" TIMESTAMP(3),
    "last_skipped_at" TIMESTAMP(3),
    "last_skip_reason" TEXT COLLATE "C",
    "last_skip_message" TEXT COLLATE "C",
    "pending_at" TIMESTAMP(3),
    "due_at" TIMESTAMP(3),
    "owner" TEXT COLLATE "C",
    "deleting" TEXT COLLATE "C",
    "restoring" TEXT COLLATE "C",
    "created_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "snapshot_schedule_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "snapshot_schedule_volume_id_key" ON "snapshot_schedule"("volume_id");

-- CreateIndex
CREATE INDEX "snapshot_schedule_next_run_at_idx" ON "snapshot_schedule"("next_run_at");

-- CreateIndex
CREATE INDEX "snapshot_schedule_due_at_idx" ON "snapshot_schedule"("due_at");

-- AddForeignKey
ALTER TABLE "snapshot_schedule" ADD CONSTRAINT "snapshot_schedule_volume_id_fkey" FOREIGN KEY ("volume_id") REFERENCES "volume"("id") ON DELETE CASCADE ON UPDATE CASCADE;
