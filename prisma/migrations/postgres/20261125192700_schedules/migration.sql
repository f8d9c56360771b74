-- AlterTable
ALTER TABLE "component_run" ADD COLUMN     "schedule_id" TEXT COLLATE "C";

-- CreateTable
CREATE TABLE "schedule" (
    "id" TEXT COLLATE "C" NOT NULL,
    "component_id" TEXT COLLATE "C" NOT NULL,
    "cron" TEXT COLLATE "C" NOT NULL,
    "time_zone" TEXT COLLATE "C" NOT NULL,
    "command" TEXT COLLATE "C" NOT NULL,
    "concurrency" TEXT COLLATE "C" NOT NULL,
    "timeout_seconds" INTEGER NOT NULL,
    "is_paused" BOOLEAN NOT NULL DEFAULT false,
    "next_run_at" TIMESTAMP(3),
    "last_skipped_at" TIMESTAMP(3),
    "last_skip_reason" TEXT COLLATE "C",
    "created_at" TIMESTAMP(3) NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "schedule_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "schedule_component_id_created_at_id_idx" ON "schedule"("component_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "schedule_next_run_at_idx" ON "schedule"("next_run_at");

-- CreateIndex
CREATE INDEX "component_run_schedule_id_idx" ON "component_run"("schedule_id");

-- AddForeignKey
ALTER TABLE "component_run" ADD CONSTRAINT "component_run_schedule_id_fkey" FOREIGN KEY ("schedule_id") REFERENCES "schedule"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "schedule" ADD CONSTRAINT "schedule_component_id_fkey" FOREIGN KEY ("component_id") REFERENCES "component"("id") ON DELETE CASCADE ON UPDATE CASCADE;
