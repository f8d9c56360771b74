-- CreateTable
CREATE TABLE "component_run" (
    "id" TEXT COLLATE "C" NOT NULL,
    "component_id" TEXT COLLATE "C" NOT NULL,
    "region_id" TEXT COLLATE "C" NOT NULL,
    "command" TEXT COLLATE "C" NOT NULL,
    "timeout_seconds" INTEGER NOT NULL,
    "status" TEXT COLLATE "C" NOT NULL,
    "exit_code" INTEGER,
    "reason" TEXT COLLATE "C",
    "user_id" INTEGER,
    "service_account_id" TEXT COLLATE "C",
    "request_id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL,
    "placed_at" TIMESTAMP(3),
    "started_at" TIMESTAMP(3),
    "ended_at" TIMESTAMP(3),
    "due_at" TIMESTAMP(3),
    "owner" TEXT COLLATE "C",
    "revision" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "component_run_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "component_run_component_id_created_at_id_idx" ON "component_run"("component_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "component_run_due_at_idx" ON "component_run"("due_at");

-- CreateIndex
CREATE INDEX "component_run_user_id_idx" ON "component_run"("user_id");

-- AddForeignKey
ALTER TABLE "component_run" ADD CONSTRAINT "component_run_component_id_fkey" FOREIGN KEY ("component_id") REFERENCES "component"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "component_run" ADD CONSTRAINT "component_run_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account"("id") ON DELETE SET NULL ON UPDATE CASCADE;
